import { describe, expect, it } from '@jest/globals';
import { storageOrigin } from '../../../src/shared/storage/object-url.js';
import { bucketUrl, objectUrl } from './object-url.js';

const KEY = 'uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4';

describe.each([
  [{ bucket: 'media', region: 'eu-central-1', endpoint: null, accelerated: false }, 'https://media.s3.eu-central-1.amazonaws.com'],
  [{ bucket: 'media', region: 'eu-central-1', endpoint: null, accelerated: true }, 'https://media.s3-accelerate.amazonaws.com'],
  [{ bucket: 'media.example', region: 'us-east-1', endpoint: null, accelerated: true }, 'https://s3.us-east-1.amazonaws.com/media.example'],
  [{ bucket: 'media', region: 'cn-north-1', endpoint: null, accelerated: false }, 'https://media.s3.cn-north-1.amazonaws.com.cn'],
  [{ bucket: 'media', region: 'us-east-1', endpoint: 'http://127.0.0.1:3001/', accelerated: false }, 'http://127.0.0.1:3001/media'],
])('%j', (location, url) => {
  it(`is at ${url}`, () => {
    expect(bucketUrl(location)).toBe(url);
    expect(objectUrl(location, KEY)).toBe(`${url}/${KEY}`);
  });

  it('is permitted by the Content-Security-Policy', () => {
    expect(storageOrigin(location, location)).toBe(new URL(url).origin);
  });
});
