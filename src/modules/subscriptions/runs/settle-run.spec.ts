import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClaimedRun } from './claimed-run.js';
import { nextAttemptAt, settleRun } from './settle-run.js';

const now = new Date('2026-01-01T00:00:00Z');
const circumstances = { now, schedule: [10, 100], random: 0.5 };
const aRun = (overrides: Partial<ClaimedRun> = {}) =>
  ({
    lane: '1 a.example',
    lanes: ['1 a.example', '1 b.example'],
    instruction: 0,
    endsAfter: null,
    attempts: 1,
    attemptsBeforeReplay: 0,
    ...overrides,
  }) as ClaimedRun;
const success = { succeeded: true };
const failure = { succeeded: false };

describe('a run after an attempt', () => {
  it('continues with the next instruction, whose attempts are counted from 1', () => {
    expect(settleRun(aRun({ attempts: 3, attemptsBeforeReplay: 2 }), success, circumstances)).toEqual({
      state: 'ready',
      instruction: 1,
      lane: '1 b.example',
      attempts: 0,
      attemptsBeforeReplay: 0,
      nextAttemptAt: null,
      complete: false,
    });
  });

  it('has succeeded after the last one, and keeps its position', () => {
    expect(settleRun(aRun({ instruction: 1, attempts: 2 }), success, circumstances)).toMatchObject({
      state: 'succeeded',
      instruction: 1,
      attempts: 2,
      complete: true,
    });
  });

  it('ends where a replay ends; its subscription has acted only after the last instruction', () => {
    expect(settleRun(aRun({ endsAfter: 0 }), success, circumstances)).toMatchObject({
      state: 'succeeded',
      instruction: 0,
      complete: false,
    });
    expect(settleRun(aRun({ instruction: 1, endsAfter: 1 }), success, circumstances)).toMatchObject({ state: 'succeeded', complete: true });
  });

  it.each([
    ['the first failure', {}, {}, 10],
    ['the second failure', { attempts: 2 }, {}, 100],
    ['the last failure', { attempts: 3 }, {}, null],
    ['the first failure of a replay', { attempts: 8, attemptsBeforeReplay: 7 }, {}, 10],
    ['a failure that waits as it was asked to', {}, { retryAfterSeconds: 50 }, 50],
    ['a failure that is final', {}, { final: true }, null],
  ])('waits or has failed after %s', (_what, run, outcome, seconds) => {
    const settlement = settleRun(aRun(run), { ...failure, ...outcome }, circumstances);
    expect(settlement.state).toBe(seconds === null ? 'failed' : 'waiting');
    expect(settlement.nextAttemptAt).toEqual(seconds === null ? null : new Date(now.getTime() + seconds * 1_000));
    expect(settlement).toMatchObject({ instruction: 0, lane: '1 a.example', complete: false, attempts: aRun(run).attempts });
  });
});

const schedules = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 10 });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const seconds = (at: Date | null) => (at ? (at.getTime() - now.getTime()) / 1_000 : null);

describe('the time of the next attempt', () => {
  it.each([
    [1, 0, 4],
    [1, 0.5, 5],
    [2, 0.5, 300],
    [2, 0.999_999_999, 360],
  ])('after %i attempts, with chance %d, is in %d seconds', (attempts, random, expected) => {
    expect(seconds(nextAttemptAt({ now, attempts, schedule: [5, 300], random }))).toBeCloseTo(expected, 2);
  });

  it('comes as often as the schedule has delays, and then never', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 20 }), randoms, (schedule, attempts, random) => {
        expect(nextAttemptAt({ now, attempts, schedule, random }) === null).toBe(attempts > schedule.length);
      }),
    );
  });

  it('is spread by no more than a fifth, and a delay of 0 stays 0', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), randoms, (delay, random) => {
        const wait = seconds(nextAttemptAt({ now, attempts: 1, schedule: [delay], random })) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(0.8 * delay);
        expect(wait).toBeLessThanOrEqual(1.2 * delay + 0.001);
      }),
    );
  });

  it('respects Retry-After, up to a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: -10, max: 1_000_000 }), randoms, (delay, asked, random) => {
        const wait = seconds(nextAttemptAt({ now, attempts: 1, schedule: [delay], retryAfterSeconds: asked, random })) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(Math.max(0.8 * delay, Math.min(asked, 86_400)));
        expect(wait).toBeLessThanOrEqual(Math.max(1.2 * delay + 0.001, Math.min(asked, 86_400)));
      }),
    );
  });

  it.each([86_401, 1e20, Number.POSITIVE_INFINITY])('comes after a day if the receiver asks for %d seconds', (retryAfterSeconds) => {
    expect(seconds(nextAttemptAt({ now, attempts: 1, schedule: [5], retryAfterSeconds, random: 0 }))).toBe(86_400);
  });

  it('never comes only because the receiver asks for it', () => {
    expect(nextAttemptAt({ now, attempts: 2, schedule: [5], retryAfterSeconds: 60, random: 0 })).toBeNull();
  });
});
