import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './https-instruction.service.js';

const now = new Date('2026-01-01T00:00:00.500Z');

describe('a Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120],
    [' 7 ', 7],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Thursday, 01-Jan-26 00:02:00 GMT', 120],
    ['Thu Jan  1 00:02:00 2026 GMT', 120],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['86401', 86_401],
    ['Sat, 03 Jan 2026 00:00:00 GMT', 172_800],
  ])('of %j is %i seconds', (value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds);
  });

  it.each(['', '-5', '1.5', 'soon', 'Soon', '1e3', '2026-01-01', '5, 10'])('of %j is ignored', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});
