import { type LoggerService } from '@nestjs/common';
import { type BaseLogger, type DestinationStream, pino } from 'pino';
import { redact } from './redact.js';

/** The structured log (JSON lines on stdout). The injection token is the class; use it like pino: `log.warn({ err }, 'text')`. */
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
}

/** Secrets never reach a line (redact.ts), so any object may be logged. */
export function createLog({ level, service, destination = 'stdout' }: LogOptions): Log {
  const clean = (members: object) => redact({ ...members }) as Record<string, unknown>;
  const settings = {
    level,
    base: { service, pid: process.pid },
    formatters: { log: clean },
    serializers: { err: (err: unknown) => err }, // redact() has described it
  };
  if (destination === 'stdout') return pino(settings);
  return pino(settings, destination === 'stderr' ? process.stderr : destination);
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
