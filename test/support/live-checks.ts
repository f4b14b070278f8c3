/** A request takes some milliseconds; on a machine that runs several test files at once, half a second. Work on the event loop took seconds. */
export const MAX_LIVE_MS = 1_000;

/** The result of some work, and the longest time that `/health/live` took meanwhile. */
export interface CheckedWork<Result> {
  readonly result: Result;
  readonly longestMs: number;
}

/** Asks the service whether it is alive, again and again, while the work goes on. */
export async function withLiveChecks<Result>(url: string, work: Promise<Result>): Promise<CheckedWork<Result>> {
  let isDone = false;
  void work.catch(() => {}).finally(() => (isDone = true));
  let longestMs = 0;
  do {
    const startedAt = performance.now();
    await (await fetch(`${url}/health/live`)).text();
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  } while (!isDone);
  return { result: await work, longestMs };
}
