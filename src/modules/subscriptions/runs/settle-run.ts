import type { Outcome } from '../instructions/instruction.js';
import type { ClaimedRun } from './claimed-run.js';
import type { RunState } from './subscription-run.entity.js';

/** The longest delay that a receiver can request, in seconds: a day. After a request for a year, the next attempt is made sooner. */
const MAX_ASKED_SECONDS = 86_400;
const JITTER = 0.2;

/** The state of a run after an attempt. */
export interface Settlement {
  readonly state: Extract<RunState, 'ready' | 'waiting' | 'succeeded' | 'failed'>;
  readonly instruction: number;
  readonly lane: string;
  readonly attempts: number;
  readonly attemptsBeforeReplay: number;
  readonly nextAttemptAt: Date | null;
  /** Whether the last of all instructions succeeded: a subscription that acts once has acted. */
  readonly complete: boolean;
}

export interface Circumstances {
  readonly now: Date;
  readonly schedule: readonly number[];
  /** In [0, 1). */
  readonly random: number;
}

type Ending = Pick<Outcome, 'succeeded' | 'final' | 'retryAfterSeconds'>;

/** Success leads to the next instruction or to the end, failure to the next attempt or to the end. */
export function settleRun(run: ClaimedRun, outcome: Ending, circumstances: Circumstances): Settlement {
  return outcome.succeeded ? afterSuccess(run) : afterFailure(run, outcome, circumstances);
}

function afterSuccess(run: ClaimedRun): Settlement {
  const next = run.instruction + 1;
  const lane = run.lanes[next];
  if (lane === undefined || run.endsAfter === run.instruction)
    return { ...unchanged(run), state: 'succeeded', complete: lane === undefined };
  return { ...unchanged(run), state: 'ready', instruction: next, lane, attempts: 0, attemptsBeforeReplay: 0 };
}

function afterFailure(run: ClaimedRun, { final, retryAfterSeconds }: Ending, { now, schedule, random }: Circumstances): Settlement {
  const attempts = run.attempts - run.attemptsBeforeReplay;
  const at = final ? null : nextAttemptAt({ now, attempts, schedule, retryAfterSeconds, random });
  return { ...unchanged(run), state: at ? 'waiting' : 'failed', nextAttemptAt: at };
}

const unchanged = ({ instruction, lane, attempts, attemptsBeforeReplay }: ClaimedRun) => ({
  instruction,
  lane,
  attempts,
  attemptsBeforeReplay,
  nextAttemptAt: null,
  complete: false,
});

export interface FailedAttempts {
  readonly now: Date;
  /** The number of attempts of the schedule so far, including the one that failed now. */
  readonly attempts: number;
  /** The delays in seconds after the first attempt, the second, and so on; there is one attempt more than delays. */
  readonly schedule: readonly number[];
  /** The Retry-After of the answer in seconds, if it had one. */
  readonly retryAfterSeconds?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * When a failed instruction is attempted again; null: the schedule has ended. Delays vary by ±20 %, so that attempts that failed together are not
 * repeated together. The receiver can request a longer delay, but not a shorter one.
 */
export function nextAttemptAt({ now, attempts, schedule, retryAfterSeconds = 0, random }: FailedAttempts): Date | null {
  const planned = schedule[attempts - 1];
  if (planned === undefined) return null;
  const spread = planned * (1 - JITTER + 2 * JITTER * random);
  const asked = Math.min(Math.max(retryAfterSeconds, 0), MAX_ASKED_SECONDS);
  return new Date(now.getTime() + Math.ceil(Math.max(spread, asked) * 1_000));
}
