/** The longest wait that a receiver can ask for: a day, in seconds. */
const LONGEST_ASKED_SECONDS = 86_400;
const JITTER = 0.2;

export interface FailedTries {
  readonly now: Date;
  /** So many tries of the schedule were made, the one that failed now included. */
  readonly tries: number;
  /** How many seconds lie after the first try, the second, …; one try more than there are numbers. */
  readonly schedule: readonly number[];
  /** Retry-After of the answer, if it had one. */
  readonly retryAfterSeconds?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * When an instruction that failed is tried again, or null when it was tried often enough. Delays are spread by ±20 %, so that what failed
 * together does not come back together; the receiver can ask for more, not for less.
 */
export function nextAttemptAt({ now, tries, schedule, retryAfterSeconds = 0, random }: FailedTries): Date | null {
  const planned = schedule[tries - 1];
  if (planned === undefined) return null;
  const spread = planned * (1 - JITTER + 2 * JITTER * random);
  const asked = Math.min(Math.max(retryAfterSeconds, 0), LONGEST_ASKED_SECONDS);
  return new Date(now.getTime() + Math.ceil(Math.max(spread, asked) * 1_000));
}
