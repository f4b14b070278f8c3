import { describe, expect, it, jest } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { FakeClock } from '../clock.js';
import { type HealthCheck, HealthChecksService } from './health-checks.service.js';

const START = new Date('2026-01-31T12:00:00Z');

/** One part, which answers what the test says. */
function aPart(how: Pick<HealthCheck, 'recheckSeconds'> = {}) {
  const { log, lines } = capturedLog();
  const clock = new FakeClock(START);
  const checks = new HealthChecksService(clock, log);
  const part = { problem: null as string | null, asked: 0, hangs: false };
  checks.register('storage', {
    maxAgeSeconds: 60,
    ...how,
    findProblem: async () => {
      part.asked += 1;
      if (part.hangs) await new Promise(() => {});
      return part.problem;
    },
  });
  return { part, clock, lines, checks, ask: async () => (await checks.all()).storage };
}

describe('the check of a part', () => {
  it('is made once for many questions, and again when the finding is too old', async () => {
    const { part, clock, ask } = aPart();
    await Promise.all([ask(), ask(), ask()]);
    clock.advance(59);
    expect([await ask(), part.asked]).toEqual([{ status: 'ok', checkedAt: START.toISOString() }, 1]);
    clock.advance(1);
    await ask();
    expect(part.asked).toBe(2);
    clock.advance(-3_600); // the clock was corrected
    await ask();
    expect(part.asked).toBe(3);
  });

  it('is repeated after ten seconds while the part does not work; its end is logged with its duration', async () => {
    const { part, clock, lines, ask } = aPart();
    part.problem = 'It does not answer.';
    await ask();
    clock.advance(10);
    const checkedAt = clock.now().toISOString();
    expect(await ask()).toEqual({ status: 'failing', reason: 'It does not answer.', since: START.toISOString(), checkedAt });
    part.problem = null;
    clock.advance(10);
    expect(await ask()).toMatchObject({ status: 'ok' });
    expect(part.asked).toBe(3);
    expect(lines.filter(({ level }) => Number(level) >= 30)).toMatchObject([
      { level: 40, check: 'storage', reason: 'It does not answer.', msg: 'a part of the service does not work' },
      { level: 30, check: 'storage', seconds: 20, msg: 'a part of the service works again' },
    ]);
  });

  it('of a part that limits its calls is repeated as rarely while it does not work, unless a call in the course of work succeeds', async () => {
    const { part, clock, checks, ask } = aPart({ recheckSeconds: 60 });
    part.problem = 'It does not answer.';
    await ask();
    clock.advance(59);
    await ask();
    expect(part.asked).toBe(1);
    clock.advance(1);
    await ask();
    expect(part.asked).toBe(2);
    part.problem = null;
    checks.noteOutcome('storage', false); // as expected
    clock.advance(10);
    await ask();
    expect(part.asked).toBe(2);
    checks.noteOutcome('storage', true);
    expect([await ask(), part.asked]).toMatchObject([{ status: 'ok' }, 3]);
  });

  it('is made soon after a call in the course of work failed, but not at every one', async () => {
    const { part, clock, checks, ask } = aPart();
    await ask();
    part.problem = 'It does not answer.';
    checks.noteOutcome('storage', false);
    expect([(await ask())?.status, part.asked]).toEqual(['ok', 1]);
    clock.advance(10);
    expect([(await ask())?.status, part.asked]).toEqual(['failing', 2]);
    checks.noteOutcome('mail', false); // a part that this installation does not use
  });

  it('that hangs delays the answer for a tenth of a second, is a problem after five seconds, and is not made twice at a time', async () => {
    const { part, clock, ask } = aPart();
    part.hangs = true;
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick'] });
    try {
      const first = ask();
      await jest.advanceTimersByTimeAsync(100);
      expect(await first).toEqual({ status: 'unknown' });
      await jest.advanceTimersByTimeAsync(5_000);
      expect(await ask()).toMatchObject({ status: 'failing', reason: 'No answer within 5 seconds.' });
      clock.advance(100);
      await ask();
      expect(part.asked).toBe(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('that throws is a problem, whose error is in the log only', async () => {
    const { log, lines } = capturedLog();
    const checks = new HealthChecksService(new FakeClock(START), log);
    checks.register('mail', { maxAgeSeconds: 60, findProblem: async () => Promise.reject(new Error('password of the mail server')) });
    expect(await checks.all()).toMatchObject({ mail: { status: 'failing', reason: 'The check failed; the log contains the error.' } });
    expect(lines[0]).toMatchObject({ err: { message: 'password of the mail server' }, check: 'mail' });
  });
});
