import { describe, expect, it } from '@jest/globals';
import { toFiletype } from './format-settings.dto.js';

describe('the file type of a format', () => {
  it.each([
    ['mp4', 'mp4'],
    ['.MP4', 'mp4'],
    ['jpeg', 'jpg'],
    ['.JPEG', 'jpg'],
    ['tif', 'tiff'],
    ['tiff', 'tiff'],
    ['constructor', 'constructor'],
  ])('%s is %s', (sent, meant) => {
    expect(toFiletype(sent)).toBe(meant);
  });
});
