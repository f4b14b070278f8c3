import { setImmediate } from 'node:timers/promises';

/** How long a computation may block the event loop before other requests run; a fifth of the limit for any request (contract 12.10). */
const TURN_MS = 10;

/** Runs a computation that yields after every small piece of work, and lets other requests run in between. */
export async function inTurns<Result>(computation: Generator<void, Result>): Promise<Result> {
  for (let turnEnds = performance.now() + TURN_MS; ; ) {
    const { done, value } = computation.next();
    if (done) return value;
    if (performance.now() < turnEnds) continue;
    await setImmediate();
    turnEnds = performance.now() + TURN_MS;
  }
}
