import { type LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

/** Where a secret may stand in a logged object; the values never reach a log line. */
const REDACTED = [
  'password',
  'access_token',
  'refresh_token',
  'client_secret',
  'code',
  'code_verifier',
  'authorization',
  'cookie',
  'set-cookie',
  'secret',
  'token',
].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** The structured log (JSON lines on stdout). The injection token is the class; use it like pino: `log.warn({ err }, 'text')`. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token of a pino logger
export abstract class Log {}
export interface Log extends Logger {}

/** `destination` is stdout by default; commands that print JSON there log to stderr. */
export function createLog(options: { level: string; service: string; destination?: 'stdout' | 'stderr' }): Log {
  const settings = {
    level: options.level,
    base: { service: options.service, pid: process.pid },
    redact: { paths: REDACTED, censor: '[redacted]' },
  };
  return options.destination === 'stderr' ? pino(settings, process.stderr) : pino(settings);
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
