/**
 * In milliseconds of processor time of this process, which also sends the requests of the tests. A request takes some; work on the event loop took many
 * seconds, and a slow processor takes several times as long for everything.
 */
export const MAX_LIVE_MS = 2_500;

/** The result of some work, and the longest time that `/health/live` took meanwhile, in milliseconds. */
export interface CheckedWork<Result> {
  readonly result: Result;
  readonly longestMs: number;
}

/**
 * Asks the service, which runs in this process, whether it is alive, again and again, while the work goes on. A check counts as long as it
 * took, but at most the processor time that this process used meanwhile: a wait for other processes of the machine delays no event loop.
 */
export async function withLiveChecks<Result>(url: string, work: Promise<Result>): Promise<CheckedWork<Result>> {
  let isDone = false;
  void work.catch(() => {}).finally(() => (isDone = true));
  let longestMs = 0;
  do {
    const [startedAt, used] = [performance.now(), process.cpuUsage()];
    await (await fetch(`${url}/health/live`)).text();
    const { user, system } = process.cpuUsage(used);
    longestMs = Math.max(longestMs, Math.min(performance.now() - startedAt, (user + system) / 1_000));
  } while (!isDone);
  return { result: await work, longestMs };
}
