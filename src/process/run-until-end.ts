import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../shared/config/index.js';
import { StartupError } from '../shared/errors.js';
import type { Log } from '../shared/logging/index.js';

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
      if (!nothingToUndo) await Promise.race([starting.catch(() => {}), delay(START_PATIENCE_MS)]);
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

interface Ending {
  readonly log: Log;
  /** The signals that ask for the end. */
  readonly signals: readonly NodeJS.Signals[];
  /** When the process ends although `stop` has not. */
  readonly withinSeconds: number;
  stop(): Promise<void>;
}

/** Shuts this process down gracefully, once: with code 0 at the first signal, with code 1 after an uncaught error. */
export function onEnd({ log, signals, withinSeconds, stop }: Ending): void {
  let ending = false;
  const end = async (code: number) => {
    if (ending) return; // npm repeats the Ctrl-C of the terminal, and what is being closed may fail further
    ending = true;
    setTimeout(() => {
      log.fatal(`did not stop within ${withinSeconds} s`);
      process.exit(1);
    }, withinSeconds * 1_000).unref();
    try {
      await stop();
      process.exit(code); // idle sockets and the channels to other processes would delay the end
    } catch (err) {
      log.fatal({ err }, 'the shutdown failed');
      process.exit(1);
    }
  };
  for (const signal of signals) process.on(signal, () => void end(0));
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'an uncaught error ends the process');
    void end(1);
  });
}

/** Ends a program that cannot continue, with a plain message for problems that the operator can solve, and the whole error for unexpected ones. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
  // What is still open (a pool, a timer) must not keep a failed program alive.
  setImmediate(() => process.exit(1));
}
