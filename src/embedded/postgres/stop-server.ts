import { setTimeout } from 'node:timers/promises';
import { isStillRunning, processStartTime } from '../../shared/processes/index.js';
import type { ClusterPaths } from './cluster-paths.js';
import { errorCode } from './error-fields.js';
import { findPostmaster } from './find-postmaster.js';

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
