import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../shared/config/index.js';
import { DomainError, isOutage, StartupError } from '../shared/errors.js';
import type { Log } from '../shared/logging/index.js';

/** Time beyond the grace period of requests for processes, background jobs and the embedded database to end. */
const END_WITHIN_SECONDS = 15;
/** On Ctrl-C during the start, how long to wait for the current step to finish, so that it can be undone. */
const MAX_STEP_WAIT_MS = 5_000;

/** The input of a start, and the list of the parts that it has started. */
export interface Start {
  readonly config: Config;
  readonly log: Log;
  /** The functions that stop the started parts, the most recent last. */
  readonly parts: (() => Promise<void>)[];
  readonly interrupted: AbortSignal;
}

/** Runs a program until it is told to stop; then stops its parts in reverse order. Throws the errors of `start`. */
export async function runUntilEnd({ config, log }: Pick<Start, 'config' | 'log'>, start: (start: Start) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const parts: Start['parts'] = [];
  const starting = start({ config, log, parts, interrupted: interruption.signal });
  onEnd({
    log,
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], // SIGHUP: the terminal was closed
    withinSeconds: config.shutdownGraceSeconds + END_WITHIN_SECONDS,
    stop: async () => {
      interruption.abort();
      const nothingToUndo = parts.length === 0 && config.databaseUrl && config.s3Bucket;
      if (!nothingToUndo) await Promise.race([starting.catch(() => {}), delay(MAX_STEP_WAIT_MS)]);
      await endAll(parts);
    },
  });
  try {
    await starting;
  } catch (error) {
    if (interruption.signal.aborted) return; // the shutdown is already in progress
    await endAll(parts);
    throw error;
  }
}

async function endAll(parts: Start['parts']): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) await part();
}

interface Ending {
  readonly log: Log;
  /** The signals that request a shutdown. */
  readonly signals: readonly NodeJS.Signals[];
  /** The time after which the process exits even if `stop` has not finished. */
  readonly withinSeconds: number;
  stop(): Promise<void>;
}

/**
 * Shuts this process down gracefully, once: with code 0 at the first signal, with code 1 after an uncaught error. Work that failed because a database or
 * storage does not answer leaves no state behind, so that it never ends the process, even if no code waits for it.
 */
export function onEnd({ log, signals, withinSeconds, stop }: Ending): void {
  let ending = false;
  const end = async (code: number) => {
    if (ending) return; // npm repeats the terminal's Ctrl-C, and closing parts may cause further errors
    ending = true;
    setTimeout(() => {
      log.fatal(`did not stop within ${withinSeconds} s`);
      process.exit(1);
    }, withinSeconds * 1_000).unref();
    try {
      await stop();
      process.exit(code); // idle sockets and channels to other processes would delay the exit
    } catch (err) {
      log.fatal({ err }, 'the shutdown failed');
      process.exit(1);
    }
  };
  for (const signal of signals) process.on(signal, () => void end(0));
  process.on('uncaughtException', (err, origin) => {
    if (origin === 'unhandledRejection' && isOutage(err))
      return log.error({ err }, 'work failed because something outside does not answer');
    log.fatal({ err, origin }, 'an uncaught error ends the process');
    void end(1);
  });
}

/** Ends a program that cannot continue: prints a plain message for problems that the operator can solve, otherwise the whole error. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof StartupError || error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
  // Open resources (a pool, a timer) must not keep a failed program running.
  setImmediate(() => process.exit(1));
}
