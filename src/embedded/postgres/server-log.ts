import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** A server in good order writes a few lines a day; a log of this many bytes was of use long ago. */
const BEGIN_ANEW_AT = 10_000_000;

/**
 * What ended a session and not the server: the answer to our own polling, and the last words of a killed server's children, which may
 * come after the new server has given up because of them.
 */
const OF_A_SESSION = /the database system is|terminating connection/;

/** An open log file to hand to a server. */
export interface ServerLog {
  readonly fd: number;
  /** What the server wrote since, as the one line that says why it gave up. */
  readReason(): string;
  close(): void;
}

/** Opens the log (mode 0600), to append to it. */
export function openServerLog(logFile: string): ServerLog {
  const fd = openForAppend(logFile);
  const start = fstatSync(fd).size;
  return {
    fd,
    readReason: () => reasonIn(readFileSync(logFile).subarray(start).toString()),
    close: () => closeSync(fd),
  };
}

function openForAppend(logFile: string): number {
  const fd = openSync(logFile, 'a', 0o600);
  if (fstatSync(fd).size < BEGIN_ANEW_AT) return fd;
  closeSync(fd);
  return openSync(logFile, 'w', 0o600);
}

function reasonIn(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => /(FATAL|PANIC): /.test(line) && !OF_A_SESSION.test(line));
  return (fatal ?? lines.at(-1) ?? 'it wrote nothing').replace(/^.*(FATAL|PANIC): +/, '');
}
