/** After how many failures in a row tries have to wait, and how long at most (seconds). */
export interface DelayPolicy {
  readonly free: number;
  readonly maxSeconds: number;
}

/** One account: a person mistypes a few times. At most a minute, so that a stranger who keeps failing cannot lock anybody out for good. */
export const accountDelay: DelayPolicy = { free: 5, maxSeconds: 60 };

/** One address: many people may sit behind it, so that it may fail more often before it waits. */
export const addressDelay: DelayPolicy = { free: 100, maxSeconds: 60 };

/** Seconds to wait after the given number of failures: none, then 1, 2, 4, … up to the maximum. */
export function delaySeconds(policy: DelayPolicy, failures: number): number {
  if (failures <= policy.free) return 0;
  return Math.min(policy.maxSeconds, 2 ** Math.min(failures - policy.free - 1, 30));
}

/** The delays after the 1st, 2nd, … failure, up to the first that no later one exceeds. */
export function delayTable(policy: DelayPolicy): readonly number[] {
  const table: number[] = [];
  while (table.at(-1) !== policy.maxSeconds) table.push(delaySeconds(policy, table.length + 1));
  return table;
}
