import { describe, expect, it } from '@jest/globals';
import type { ClaimedRun } from './claimed-run.js';
import { settleRun } from './settle-run.js';

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

describe('a run after a try', () => {
  it('goes on to the next instruction, whose tries are counted from the beginning', () => {
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

  it('has succeeded after the last one, and keeps where it ended', () => {
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
