import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clusterPaths, errorCode } from '../../src/embedded/data-directory.js';
import { findPostmaster, stopServer } from '../../src/embedded/postgres/postmaster.js';
import { startEmbeddedPostgres } from '../../src/embedded/postgres/start-embedded-postgres.js';
import { isStillRunning, processStartTime } from '../../src/shared/process-start-time.js';

/** Then the pid and the start time of the process that made it, so that a later run knows what a killed one left behind. */
const PREFIX = 'media-delivery-test-';

/** One PostgreSQL for a whole Jest run. */
export interface TestCluster {
  /** Of the superuser, on the database `platform`, which tests leave alone: they make databases of their own. */
  readonly url: string;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

/** Starts a server in the system's temporary folder, after clearing away what killed runs left there. */
export async function startTestCluster(): Promise<TestCluster> {
  for (const leftover of findLeftovers()) await removeTestFolder(leftover).catch(ignoreForeign);
  const folder = makeTestFolder();
  const { url } = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), durable: false });
  return { url, remove: () => removeTestFolder(folder) };
}

/** A new folder in the system's temporary folder. It belongs to this process: once that is gone, a later run removes it. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-${processStartTime(process.pid)}-`));
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

function findLeftovers(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX) && !isOfLivingProcess(name))
    .map((name) => path.join(tmpdir(), name));
}

function isOfLivingProcess(name: string): boolean {
  const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
  return isStillRunning(Number(pid), startTime);
}

/** Another user's leftovers are that user's to remove. */
function ignoreForeign(error: unknown): void {
  if (!['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
}
