import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isStillRunning, processName, processStartTime } from '../../shared/processes/index.js';
import type { ClusterPaths } from './data-directory.js';
import { errorCode } from './to-startup-error.js';

/** The main process of a running server. */
interface Postmaster {
  readonly pid: number;
  /** Null while it has not written its port yet. */
  readonly port: number | null;
}

/** The living server of a data directory, as its postmaster.pid names it; null when none runs. */
export function findPostmaster(pgData: string): Postmaster | null {
  const postmaster = readPostmasterFile(pgData);
  return postmaster !== null && isServer(postmaster.pid) ? postmaster : null;
}

/**
 * Removes a postmaster.pid whose pid now belongs to another program, which is usual in a container that was killed: PostgreSQL
 * would see a living pid and refuse to start. With no such process it breaks the lock by itself; with a server it stays.
 */
export function removeForeignPostmasterFile(pgData: string): void {
  const postmaster = readPostmasterFile(pgData);
  if (postmaster !== null && processStartTime(postmaster.pid) !== null && !isServer(postmaster.pid))
    rmSync(pidFile(pgData), { force: true });
}

/** In doubt (no /proc) a living pid counts as a server, because two servers on one data directory destroy it. */
function isServer(pid: number): boolean {
  return processStartTime(pid) !== null && (processName(pid) ?? 'postgres') === 'postgres';
}

function readPostmasterFile(pgData: string): Postmaster | null {
  // Lines: pid, data directory, start time, port, socket directory, address, shared memory, status.
  const [pid = Number.NaN, , , port = Number.NaN] = readLines(pidFile(pgData)).map((line) => Number.parseInt(line, 10));
  return pid > 0 ? { pid, port: port > 0 ? port : null } : null;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function pidFile(pgData: string): string {
  return path.join(pgData, 'postmaster.pid');
}

const POLL_EVERY_MS = 20;
/** The last checkpoint writes at most shared_buffers. */
const PATIENCE_MS = 60_000;

/**
 * Stops the server `pid` of a data directory (fast shutdown: sessions are cut off, nothing is lost) and waits until its process is
 * gone; does nothing when another or no server runs there. Throws when it does not end within a minute: it is never killed hard.
 */
export async function stopServer({ pgData, logFile }: ClusterPaths, pid: number): Promise<void> {
  if (findPostmaster(pgData)?.pid !== pid) return;
  const startTime = processStartTime(pid);
  interrupt(pid);
  const deadline = Date.now() + PATIENCE_MS;
  while (startTime !== null && isStillRunning(pid, startTime)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${pid}) does not stop; its log: ${logFile}`);
    await setTimeout(POLL_EVERY_MS);
  }
}

/** SIGINT asks the server for its fast shutdown. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it ended by itself
  }
}
