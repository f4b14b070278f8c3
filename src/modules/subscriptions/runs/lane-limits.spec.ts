import { describe, expect, it } from '@jest/globals';
import { LaneLimits } from './lane-limits.js';

const quick = { statusCode: 200, succeeded: true, durationMs: 20 };
const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n += 1) work();
};

describe('the limit of a lane', () => {
  it('grows with quick successes, up to 32', () => {
    const limits = new LaneLimits();
    expect(limits.of('a')).toBe(8);
    times(9, () => limits.ended('a', quick));
    expect(limits.of('a')).toBe(9);
    times(10_000, () => limits.ended('a', quick));
    expect(limits.of('a')).toBe(32);
  });

  it.each([0, 429, 503])('halves with each status %i, down to 2', (statusCode) => {
    const limits = new LaneLimits();
    const seen = [1, 2, 3, 4].map(() => {
      limits.ended('a', { statusCode, succeeded: false, durationMs: 15_000 });
      return limits.of('a');
    });
    expect(seen).toEqual([4, 2, 2, 2]);
  });

  it.each([
    ['slow successes', { ...quick, durationMs: 2_000 }],
    ['answers that say no', { statusCode: 400, succeeded: false, durationMs: 20 }],
  ])('stays as it is with %s', (_what, ended) => {
    const limits = new LaneLimits();
    times(1_000, () => limits.ended('a', ended));
    expect(limits.of('a')).toBe(8);
  });

  it('is of one lane alone, and comes back after a bad time', () => {
    const limits = new LaneLimits();
    times(5, () => limits.ended('a', { statusCode: 0, succeeded: false, durationMs: 1 }));
    expect([limits.of('a'), limits.of('b')]).toEqual([2, 8]);
    times(50, () => limits.ended('a', quick));
    expect(limits.of('a')).toBeGreaterThan(8);
  });

  it('is forgotten when ten thousand other lanes were used since', () => {
    const limits = new LaneLimits();
    limits.ended('a', { statusCode: 0, succeeded: false, durationMs: 1 });
    for (let n = 0; n < 10_000; n += 1) limits.ended(`lane ${n}`, quick);
    expect(limits.of('a')).toBe(8);
  });
});
