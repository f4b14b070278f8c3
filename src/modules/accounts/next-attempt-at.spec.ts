import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountDelay, delaySeconds } from './next-attempt-at.js';

describe('the delay after failed logins', () => {
  it('is nothing at first, then doubles', () => {
    expect([1, 5, 6, 7, 8, 9].map((failures) => delaySeconds(accountDelay, failures))).toEqual([0, 0, 1, 2, 4, 8]);
  });

  it('grows with every failure and never passes its maximum', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (failures) => {
        const now = delaySeconds(accountDelay, failures);
        expect(delaySeconds(accountDelay, failures + 1)).toBeGreaterThanOrEqual(now);
        expect(now).toBeLessThanOrEqual(accountDelay.maxSeconds);
      }),
    );
  });
});
