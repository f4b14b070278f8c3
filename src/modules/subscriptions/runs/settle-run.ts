import type { Outcome } from '../instructions/instruction-runner.js';
import type { ClaimedRun } from './claimed-run.js';
import { nextAttemptAt } from './next-attempt-at.js';
import type { RunState } from './subscription-run.entity.js';

/** What becomes of a run after a try. */
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

/** Success leads to the next instruction or to the end, failure to the next try or to the end. */
export function settleRun(run: ClaimedRun, outcome: Ending, circumstances: Circumstances): Settlement {
  return outcome.succeeded ? afterSuccess(run) : afterFailure(run, outcome, circumstances);
}

function afterSuccess(run: ClaimedRun): Settlement {
  const next = run.instruction + 1;
  const lane = run.lanes[next];
  if (lane === undefined || run.endsAfter === run.instruction) return { ...present(run), state: 'succeeded', complete: lane === undefined };
  return { ...present(run), state: 'ready', instruction: next, lane, attempts: 0, attemptsBeforeReplay: 0 };
}

function afterFailure(run: ClaimedRun, { final, retryAfterSeconds }: Ending, { now, schedule, random }: Circumstances): Settlement {
  const tries = run.attempts - run.attemptsBeforeReplay;
  const at = final ? null : nextAttemptAt({ now, tries, schedule, retryAfterSeconds, random });
  return { ...present(run), state: at ? 'waiting' : 'failed', nextAttemptAt: at };
}

const present = ({ instruction, lane, attempts, attemptsBeforeReplay }: ClaimedRun) => ({
  instruction,
  lane,
  attempts,
  attemptsBeforeReplay,
  nextAttemptAt: null,
  complete: false,
});
