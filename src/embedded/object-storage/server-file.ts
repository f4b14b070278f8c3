import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isStillRunning, processStartTime } from '../../shared/processes/index.js';
import { errorCode } from '../postgres/to-startup-error.js';

/** The process that serves a data directory. */
export interface ServerRecord {
  readonly pid: number;
  /** Tells it from a later process with the same pid. */
  readonly startTime: string;
  /** Empty while it does not listen yet. */
  readonly endpoint: string;
}

const FILE = 'server.json';

export function writeServerFile(dataDir: string, endpoint: string): void {
  const note: ServerRecord = { pid: process.pid, startTime: processStartTime(process.pid) ?? '', endpoint };
  const unfinished = path.join(dataDir, `${FILE}.${randomBytes(4).toString('hex')}`);
  writeFileSync(unfinished, JSON.stringify(note), { mode: 0o600 });
  renameSync(unfinished, path.join(dataDir, FILE));
}

/** The living process that serves a data directory; null when none does. */
export function findServer(dataDir: string): ServerRecord | null {
  const note = readNote(dataDir);
  return note !== null && isStillRunning(note.pid, note.startTime) ? note : null;
}

export function removeServerFile(dataDir: string): void {
  rmSync(path.join(dataDir, FILE), { force: true });
}

function readNote(dataDir: string): ServerRecord | null {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, FILE), 'utf8')) as ServerRecord;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
