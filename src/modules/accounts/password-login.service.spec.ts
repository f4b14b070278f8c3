import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountDelay, addressDelay, delaySeconds, delayTable } from './password-login.service.js';

describe('the delay after failed logins', () => {
  it('is 0 at first, then doubles', () => {
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

  it.each([
    ['an account', accountDelay, 5],
    ['an address', addressDelay, 100],
  ])('lets %s fail so often without any, and never locks it for more than a minute', (_name, policy, free) => {
    expect([delaySeconds(policy, free), delaySeconds(policy, free + 1), delaySeconds(policy, Number.MAX_SAFE_INTEGER)]).toEqual([0, 1, 60]);
  });

  it('is the last entry of its table for every further failure', () => {
    const policy = fc.record({ free: fc.nat(200), maxSeconds: fc.integer({ min: 1, max: 100_000 }) });
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 1_000 }), (given, failures) => {
        const table = delayTable(given);
        expect(table[Math.min(failures, table.length) - 1]).toBe(delaySeconds(given, failures));
        expect(table.filter((seconds) => seconds === given.maxSeconds)).toHaveLength(1);
      }),
    );
  });
});
