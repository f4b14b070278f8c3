import { reportFailure } from './report-failure.js';

/** Calls `stop` once, at the first SIGINT or SIGTERM. */
export function onStop(stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return; // a second Ctrl-C changes nothing; SIGKILL ends the wait, and the next start mends it
      stopping = true;
      stop(signal).catch(reportFailure);
    });
  }
}
