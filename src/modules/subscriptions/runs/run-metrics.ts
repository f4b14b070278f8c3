import { Histogram } from 'prom-client';
import { codeOfReason, SeriesCounter, seriesByValue } from '../../../shared/series-counter.js';
import { INSTRUCTION_DESCRIPTORS } from '../instructions/index.js';
import { INSTRUCTION_TYPES } from '../instructions/instruction-kinds.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';
import type { Settlement } from './settle-run.js';

/** The codes of reasons: those of the service itself, and those of each kind of instruction. */
const REASONS: ReadonlySet<string> = new Set([
  ...['budget', 'internal', 'loop', 'placeholders', 'quota', 'secrets unreadable', 'stopped'],
  ...INSTRUCTION_DESCRIPTORS.flatMap(({ reasons }) => reasons),
]);

const attempts = new SeriesCounter({
  name: 'subscription_attempts_total',
  help: 'Attempts at instructions of subscriptions, by type of the instruction, outcome and reason.',
  labels: ['type', 'outcome', 'reason'],
});
const succeededAttempts = seriesByValue(attempts, 'type', INSTRUCTION_TYPES, { outcome: 'succeeded', reason: '' });
for (const reason of ['internal', 'secrets unreadable']) seriesByValue(attempts, 'type', INSTRUCTION_TYPES, { outcome: 'failed', reason });

const runs = new SeriesCounter({
  name: 'subscription_runs_total',
  help: 'Ended runs of subscriptions, by outcome and reason; refused: the subscription got no run for the event.',
  labels: ['outcome', 'reason'],
});
const succeededRuns = runs.series({ outcome: 'succeeded', reason: '' });
const refusedRuns = seriesByValue(runs, 'reason', ['budget', 'quota'], { outcome: 'refused' });

const delay = new Histogram({
  name: 'subscription_first_attempt_delay_seconds',
  help: 'Time from an event to the first attempt at the first instruction of each run.',
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
});

/**
 * Measures the delay of a run that is attempted for the first time, except for subscriptions that act once: their runs wait for one another on
 * purpose.
 */
export function measureDelay({ instruction, attempts: attempt, once, eventCreatedAt }: ClaimedRun, now: Date): void {
  if (instruction === 0 && attempt === 1 && !once) delay.observe(Math.max(0, now.getTime() - eventCreatedAt.getTime()) / 1_000);
}

/** Counts an attempt that was recorded, and its run if it has ended. */
export function countAttempt({ outcome, logged }: EndedAttempt, { state }: Settlement): void {
  const reason = outcome.reason === null ? '' : codeOfReason(outcome.reason, REASONS);
  if (logged && outcome.succeeded) succeededAttempts[logged.type].count += 1;
  else if (logged) attempts.series({ type: logged.type, outcome: 'failed', reason }).count += 1;
  if (state === 'succeeded') succeededRuns.count += 1;
  else if (state === 'failed') runs.series({ outcome: 'failed', reason }).count += 1;
}

/** Counts subscriptions that got no run for an event. */
export function countRefused(reason: keyof typeof refusedRuns, subscriptions: number): void {
  refusedRuns[reason].count += subscriptions;
}
