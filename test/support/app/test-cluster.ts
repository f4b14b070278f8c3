import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clusterPaths, errorCode } from '../../../src/embedded/data-directory.js';
import { findPostmaster, stopServer } from '../../../src/embedded/postgres/postmaster.js';
import { startEmbeddedPostgres } from '../../../src/embedded/postgres/start-embedded-postgres.js';
import { isStillRunning, processStartTime } from '../../../src/shared/process-start-time.js';

/** Then the pid and the start time of the process that made it, so that a later run knows what a killed one left behind. */
const PREFIX = 'media-delivery-test-';

/**
 * A database of 640 files is made in memory in 60 ms, on a disk in 30 to 500 ms, most of it processor time of the kernel. Containers often
 * have 64 MB of this memory, and several test files together need less than a tenth of what is required here.
 */
const IN_MEMORY = '/dev/shm';
const MEMORY_BYTES = 4 * 1024 ** 3;

/** One PostgreSQL for a whole Jest run. */
export interface TestCluster {
  /** Of the superuser, on the database `platform`, which tests leave alone: they make databases of their own. */
  readonly url: string;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

/** Starts a server whose files are in memory where that is large enough, else in the system's temporary folder; clears away what killed runs left. */
export async function startTestCluster(): Promise<TestCluster> {
  const parents = hasMemory() ? [IN_MEMORY, tmpdir()] : [tmpdir()];
  for (const leftover of parents.flatMap(findLeftovers)) await removeTestFolder(leftover).catch(ignoreForeign);
  const folder = makeTestFolder(parents[0]);
  const { url } = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), durable: false });
  return { url, remove: () => removeTestFolder(folder) };
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false; // not Linux
  }
}

/** A new folder, in the system's temporary folder by default. It belongs to this process: once that is gone, a later run removes it. */
export function makeTestFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-${processStartTime(process.pid)}-`));
  chmodSync(folder, 0o755); // as root the server runs as `nobody`
  return folder;
}

/** Removes a test's folder; first stops the server whose data directory is `data` in it, if one runs. */
export async function removeTestFolder(folder: string): Promise<void> {
  const paths = clusterPaths(path.join(folder, 'data'));
  const postmaster = findPostmaster(paths.pgData);
  if (postmaster !== null) await stopServer(paths, postmaster.pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function findLeftovers(parent: string): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX) && !isOfLivingProcess(name))
    .map((name) => path.join(parent, name));
}

function isOfLivingProcess(name: string): boolean {
  const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
  return isStillRunning(Number(pid), startTime);
}

/** Another user's leftovers are that user's to remove. */
function ignoreForeign(error: unknown): void {
  if (!['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
}
