import { setTimeout } from 'node:timers/promises';
import type { Config } from '../shared/config/index.js';
import type { Log } from '../shared/logging/index.js';
import { onEnd } from './on-end.js';

/** Beyond the grace time of the requests: the processes, background jobs and the embedded database end. */
const END_WITHIN_SECONDS = 15;
/** Ctrl-C during the start: what is half-way is finished, so that it can be undone, but not for longer than a person waits. */
const START_PATIENCE_MS = 5_000;

/** What a start needs and leaves. */
export interface Start {
  readonly config: Config;
  readonly log: Log;
  /** What has been started so far, each as the function that ends it, the newest last. */
  readonly parts: (() => Promise<void>)[];
  readonly interrupted: AbortSignal;
}

/** Starts a program, which runs until it is told to end; then everything ends in the reverse order. Throws what the start throws. */
export async function runUntilEnd({ config, log }: Pick<Start, 'config' | 'log'>, start: (start: Start) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const parts: Start['parts'] = [];
  const starting = start({ config, log, parts, interrupted: interruption.signal });
  onEnd({
    log,
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], // the last: the terminal was closed
    withinSeconds: config.shutdownGraceSeconds + END_WITHIN_SECONDS,
    stop: async () => {
      interruption.abort();
      const nothingToUndo = parts.length === 0 && config.databaseUrl && config.s3Bucket;
      if (!nothingToUndo) await Promise.race([starting.catch(() => {}), setTimeout(START_PATIENCE_MS)]);
      await endAll(parts);
    },
  });
  try {
    await starting;
  } catch (error) {
    if (interruption.signal.aborted) return; // the end is under way
    await endAll(parts);
    throw error;
  }
}

async function endAll(parts: Start['parts']): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) await part();
}
