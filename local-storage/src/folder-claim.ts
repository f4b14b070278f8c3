import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalStorageError } from './local-storage-error.js';
import { errorCode } from './store/disk.js';

/** The process that serves a folder, as written in `server.json`. */
export interface ServerRecord {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly startTime: string;
  /** Empty until the server listens. */
  readonly endpoint: string;
}

const SERVER_FILE = 'server.json';
const PREFIX = 'claim-';
/** A claim takes milliseconds; a process that takes longer was stopped in the middle of one. */
const MAX_WAIT_MS = 10_000;

/**
 * Claims a folder for this process, because two processes would destroy each other's files. @throws LocalStorageError `folder_in_use`
 *
 * Each claimant creates a file with its own name and then looks for others; two that see each other both step back. Unlike a single lock file,
 * this cannot remove a fresh lock while breaking a stale one.
 */
export async function claimFolder(folder: string): Promise<void> {
  const name = `${PREFIX}${process.pid}-${startTimeOf(process.pid)}-${randomBytes(4).toString('hex')}`;
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await delay(10 + Math.random() * 30)) {
    try {
      writeFileSync(path.join(folder, name), '', { mode: 0o600 });
      const rival = findRival(folder, name);
      if (rival === null) return writeUnlessServed(folder);
      if (Date.now() > deadline) throw inUse(folder, rival);
    } finally {
      rmSync(path.join(folder, name), { force: true });
    }
  }
}

/** The pid of another living claimant; files of dead ones are removed. */
function findRival(folder: string, ownName: string): number | null {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX) || name === ownName) continue;
    const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
    if (isRunning(Number(pid), startTime)) return Number(pid);
    rmSync(path.join(folder, name), { force: true });
  }
  return null;
}

function writeUnlessServed(folder: string): void {
  const server = findServer(folder);
  if (server) throw inUse(folder, server.pid);
  writeServerFile(folder, '');
}

const inUse = (folder: string, pid: number): LocalStorageError =>
  new LocalStorageError('folder_in_use', `Process ${pid} serves ${folder} already`, 'stop it, or choose another folder.');

export function writeServerFile(folder: string, endpoint: string): void {
  const record: ServerRecord = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', endpoint };
  writeWhole(path.join(folder, SERVER_FILE), JSON.stringify(record));
}

export function removeServerFile(folder: string): void {
  rmSync(path.join(folder, SERVER_FILE), { force: true });
}

/** The living process that serves a folder, or is about to; null if no process does. */
export function findServer(folder: string): ServerRecord | null {
  const text = readIfExists(path.join(folder, SERVER_FILE));
  const record = text === null ? null : (JSON.parse(text) as ServerRecord);
  return record !== null && isRunning(record.pid, record.startTime) ? record : null;
}

/** The start time of every living process on a system without /proc. */
const UNKNOWN = 'unknown';

/**
 * The start time of a living process in clock ticks since boot, as text; null if it has ended. A pid alone does not identify a process, because pids are
 * reused, in a container after every restart. A zombie has ended.
 */
function startTimeOf(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return null; // EPERM: it exists but belongs to another user
  }
  try {
    // "pid (name) state ppid …": the name may contain spaces and parentheses. Fields 3 and 22 are the state and the start time, see proc(5).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? UNKNOWN);
  } catch {
    return UNKNOWN; // no /proc, a hidden process, or one that has just ended
  }
}

function isRunning(pid: number, startTime: string): boolean {
  const current = startTimeOf(pid);
  return current !== null && (current === startTime || current === UNKNOWN);
}

/** Writes a text atomically to a file that only its owner may read. */
export function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(unfinished, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}

/** The content of a file; null if it does not exist. */
export function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
