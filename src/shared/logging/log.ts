import { type LoggerService } from '@nestjs/common';
import { type BaseLogger, type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { ContextVariable } from '../context-variable.js';
import { redact } from './redact.js';
import { causeOf, RepeatedFailures } from './repeated-failures.js';
import { toTextLine } from './text-line.js';

/**
 * The structured log. A line about a failure has the error as `err`, and, unless PostgreSQL failed, `operation` (and `host`), by which failures of
 * the same cause are recognized. The injection token is the class; use it like pino: `log.warn({ err }, 'text')`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of a pino logger
export abstract class Log {}
export interface Log extends BaseLogger {
  isLevelEnabled(level: string): boolean;
  /** Writes lines for failures that have been counted but not yet written. Call it before the process ends. */
  writeCounts(): void;
  // No child(), because pino would not redact its members.
}

interface LogOptions {
  readonly level: string;
  readonly service: string;
  /** Default: stdout; commands that print JSON there log to stderr. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream;
  /** `text`: lines for people; `json`: one object per line; `auto`: text if stdout is a terminal. */
  readonly format?: string;
}

/** Creates the log. Any object may be logged, because redact.ts removes secrets. */
export function createLog({ level, service, destination = 'stdout', format = 'json' }: LogOptions): Log {
  const clean = (members: object) => redact({ ...members }) as Record<string, unknown>;
  const failures = new RepeatedFailures();
  const settings = {
    level,
    base: { service, pid: process.pid },
    formatters: { log: clean },
    serializers: { err: (err: unknown) => err }, // redact() has already converted it
    hooks: { logMethod: reduceFailures(failures) },
  };
  const isText = format === 'text' || (format === 'auto' && destination === 'stdout' && process.stdout.isTTY === true);
  const stream = typeof destination === 'string' ? process[destination] : destination;
  const text = { write: (line: string) => void stream.write(toTextLine(line)) };
  const log = destination === 'stdout' && !isText ? pino(settings) : pino(settings, isText ? text : stream);
  return Object.assign(log, { writeCounts: () => failures.writeCounts() });
}

const requestIds = new ContextVariable<string>();

/** Runs `work` for the request with this id: log lines about failures in any part of `work` contain the id. */
export const forRequest = <T>(id: string, work: () => T): T => requestIds.run(id, work);

/** Lines from this level on report failures. */
const WARN = 40;

/**
 * Reduces failures of the same cause to one line a minute with their `count` (repeated-failures.ts), and writes each at level debug; adds the id of
 * the request that failed.
 */
function reduceFailures(failures: RepeatedFailures): NonNullable<LoggerOptions['hooks']>['logMethod'] {
  return function write(this: Logger, args, method, level): void {
    const [given, message] = args as unknown as [object, string?];
    const cause = level >= WARN ? causeOf(given, message ?? '') : null;
    if (cause === null) return method.apply(this, args);
    const requestId = requestIds.get();
    const members = requestId === undefined ? given : { requestId, ...given };
    const writeLine = (count: number) => method.call(this, (count === 1 ? members : { ...members, count }) as never, message);
    if (!failures.note(cause, writeLine)) this.debug(members, message);
  };
}

/** Writes Nest's own messages to this log. */
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
