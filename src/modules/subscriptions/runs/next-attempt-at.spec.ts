import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextAttemptAt } from './next-attempt-at.js';

const now = new Date('2026-01-01T00:00:00Z');
const schedules = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 10 });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const seconds = (at: Date | null) => (at ? (at.getTime() - now.getTime()) / 1_000 : null);

describe('the time of the next try', () => {
  it.each([
    [1, 0, 4],
    [1, 0.5, 5],
    [2, 0.5, 300],
    [2, 0.999_999_999, 360],
  ])('after %i tries, with chance %d, is in %d seconds', (tries, random, expected) => {
    expect(seconds(nextAttemptAt({ now, tries, schedule: [5, 300], random }))).toBeCloseTo(expected, 2);
  });

  it('comes as often as the schedule has delays, and then never', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 20 }), randoms, (schedule, tries, random) => {
        expect(nextAttemptAt({ now, tries, schedule, random }) === null).toBe(tries > schedule.length);
      }),
    );
  });

  it('is spread by no more than a fifth, and a delay of 0 stays 0', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), randoms, (delay, random) => {
        const wait = seconds(nextAttemptAt({ now, tries: 1, schedule: [delay], random })) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(0.8 * delay);
        expect(wait).toBeLessThanOrEqual(1.2 * delay + 0.001);
      }),
    );
  });

  it('is never before what the receiver asks for, up to a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: -10, max: 1_000_000 }), randoms, (delay, asked, random) => {
        const wait = seconds(nextAttemptAt({ now, tries: 1, schedule: [delay], retryAfterSeconds: asked, random })) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(Math.max(0.8 * delay, Math.min(asked, 86_400)));
        expect(wait).toBeLessThanOrEqual(Math.max(1.2 * delay + 0.001, Math.min(asked, 86_400)));
      }),
    );
  });

  it('never comes only because the receiver asks for it', () => {
    expect(nextAttemptAt({ now, tries: 2, schedule: [5], retryAfterSeconds: 60, random: 0 })).toBeNull();
  });
});
