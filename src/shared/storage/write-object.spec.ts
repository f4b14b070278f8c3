import { expect, it } from '@jest/globals';
import { cutIntoParts } from './write-object.js';

const MEBIBYTE = 1_048_576;

it.each([
  [17 * MEBIBYTE, 2, 16],
  [160_000 * MEBIBYTE, 10_000, 16],
  [160_000 * MEBIBYTE + 1, 9_412, 17],
  [5 * MEBIBYTE * MEBIBYTE, 9_987, 525],
])('%d bytes are %d parts of %d MiB', (size, count, part) => {
  const pieces = cutIntoParts(size);
  expect([pieces.length, pieces[0]]).toEqual([count, { start: 0, size: part * MEBIBYTE }]);
  expect(pieces.reduce((sum, { start, size: bytes }) => (start === sum ? sum + bytes : Number.NaN), 0)).toBe(size);
});
