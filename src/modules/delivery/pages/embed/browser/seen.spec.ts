import { expect, it } from '@jest/globals';
import { Seen } from './seen.js';

it.each([
  [0, 12, 60, 'fffff'],
  [11.9, 12.1, 60, '0'],
  [59.6, 60.2, 60, `8${'0'.repeat(24)}`],
  [34, 38, 7_200, '1'],
  [0, 4, Number.NaN, '0'],
  [0, 4, Number.POSITIVE_INFINITY, '0'],
])('the hundredths whose middle was played from %d to %d of %d are %s, as the service counts them', (from, to, length, digits) => {
  const seen = new Seen();
  seen.add(from, to, length);
  seen.add(from, to, length);
  expect(String(seen)).toBe(digits.padStart(25, '0'));
});
