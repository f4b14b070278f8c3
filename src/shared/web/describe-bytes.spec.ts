import { expect, it } from '@jest/globals';
import { describeBytes } from './describe-bytes.js';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [2_540_000, '2.5 MB'],
  [999_960, '1 MB'],
  [5_000_000_000_000_000, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(describeBytes(bytes)).toBe(text.replace(' ', '\u00a0'));
});
