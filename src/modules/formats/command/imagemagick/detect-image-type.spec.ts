import { describe, expect, it } from '@jest/globals';
import { detectImageType } from './detect-image-type.js';

describe("an image's type", () => {
  it.each([
    ['ffd8ffe000104a46', 'jpg'],
    ['89504e470d0a1a0a', 'png'],
    ['524946461234567857454250', 'webp'],
    ['474946383961', 'gif'],
    ['49492a0008000000', 'tif'],
    ['000000186674797061766966', 'avif'],
    ['0000001866747970686569630000', 'heic'],
  ])('%s is %s', (bytes, type) => {
    expect(detectImageType(Buffer.from(bytes, 'hex'))).toBe(type);
  });

  it.each(['<svg xmlns=', '%!PS-Adobe', 'push graphic-context', '<image>', '#EXTM3U', '', 'RIFFxxxxWAVE'])('%s is none', (text) => {
    expect(detectImageType(Buffer.from(text))).toBeNull();
  });
});
