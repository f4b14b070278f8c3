import { type LoggerService } from '@nestjs/common';
import { type BaseLogger, type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { redact } from './redact.js';
import { causeOf, RepeatedFailures } from './repeated-failures.js';
import { currentRequestId } from './request-id.js';
import { toTextLine } from './text-line.js';

/**
 * The structured log. A line about a failure has the error as `err`, and, unless PostgreSQL failed, `operation` (and `host`): by these, failures of
 * one cause are recognised. The injection token is the class; use it like pino: `log.warn({ err }, 'text')`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of a pino logger
export abstract class Log {}
export interface Log extends BaseLogger {
  isLevelEnabled(level: string): boolean;
  // No child(): pino would not clean its members.
}

interface LogOptions {
  readonly level: string;
  readonly service: string;
  /** stdout by default; commands that print JSON there log to stderr. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream;
  /** `text`: lines for people; `json`: one object per line; `auto`: text if stdout is a terminal. */
  readonly format?: string;
}

/** Secrets never reach a line (redact.ts), so any object may be logged. */
export function createLog({ level, service, destination = 'stdout', format = 'json' }: LogOptions): Log {
  const clean = (members: object) => redact({ ...members }) as Record<string, unknown>;
  const settings = {
    level,
    base: { service, pid: process.pid },
    formatters: { log: clean },
    serializers: { err: (err: unknown) => err }, // redact() has described it
    hooks: { logMethod: reduceFailures() },
  };
  const isText = format === 'text' || (format === 'auto' && destination === 'stdout' && process.stdout.isTTY === true);
  if (destination === 'stdout' && !isText) return pino(settings);
  const stream = typeof destination === 'string' ? process[destination] : destination;
  return pino(settings, isText ? { write: (line) => stream.write(toTextLine(line)) } : stream);
}

/** From which level on lines are about failures. */
const WARN = 40;

/**
 * Writes failures of the same cause once a minute, with their `count` (repeated-failures.ts), and each of them at the level debug; with the id of
 * the request that failed.
 */
function reduceFailures(): NonNullable<LoggerOptions['hooks']>['logMethod'] {
  const failures = new RepeatedFailures();
  return function write(this: Logger, args, method, level): void {
    const [given, message] = args as unknown as [object, string?];
    const cause = level >= WARN ? causeOf(given, message ?? '') : null;
    if (cause === null) return method.apply(this, args);
    const requestId = currentRequestId();
    const members = requestId === undefined ? given : { requestId, ...given };
    const writeLine = (count: number) => method.call(this, (count === 1 ? members : { ...members, count }) as never, message);
    if (!failures.note(cause, writeLine)) this.debug(members, message);
  };
}

/** Nest's own messages, as lines of the same log. */
export const nestLogger = (log: Log): LoggerService => {
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const err = message instanceof Error ? message : undefined;
      log[level]({ context: rest.at(-1), err }, err ? err.message : String(message));
    };
  return {
    log: line('debug'),
    debug: line('debug'),
    verbose: line('debug'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
  };
};
