import { expect, it } from '@jest/globals';
import { bucketUrl, storageOrigin } from './object-url.js';

const aws = { bucket: 'media', region: 'eu-central-1', endpoint: null };

it.each([
  [aws, {}, 'https://media.s3.eu-central-1.amazonaws.com'],
  [aws, { accelerated: true }, 'https://media.s3-accelerate.amazonaws.com'],
  [{ ...aws, region: 'cn-north-1' }, {}, 'https://media.s3.cn-north-1.amazonaws.com.cn'],
  [{ ...aws, bucket: 'media.example' }, { accelerated: true }, 'https://s3.eu-central-1.amazonaws.com/media.example'],
  [{ ...aws, endpoint: 'http://localhost:9000/' }, {}, 'http://localhost:9000/media'],
])('%j %j is at %s', (location, options, url) => {
  expect(bucketUrl(location, options)).toBe(url);
});

it('has the origin without the bucket in its path', () => {
  expect(storageOrigin({ ...aws, endpoint: 'http://localhost:9000/s3' })).toBe('http://localhost:9000');
});
