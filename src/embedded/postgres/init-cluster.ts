import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ClusterPaths } from './data-directory.js';
import type { Binaries } from './find-binaries.js';
import { runProgram } from './run-program.js';
import { giveTo, type ServerUser } from './server-user.js';
import { errorCode } from './to-startup-error.js';

/**
 * Whether there is data that PostgreSQL `major` can read; false when it is still to be made.
 * Throws StartupError when the folder holds another major version's data or something else.
 */
export function hasUsableData(pgData: string, major: number): boolean {
  const version = readVersion(pgData);
  if (version === null) return false;
  if (version === String(major)) return true;
  throw new StartupError(
    `${pgData} was made by PostgreSQL ${version}, this is ${major}: dump it with the old version and restore it, move the folder away to start with empty data, or set DATABASE_URL.`,
  );
}

function readVersion(pgData: string): string | null {
  try {
    return readFileSync(path.join(pgData, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (isMissingOrEmpty(pgData)) return null;
  throw new StartupError(`${pgData} is not a PostgreSQL data directory: move it away, or set DATA_DIR to another folder.`);
}

function isMissingOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

const PREFIX = 'postgres.init-';

/** What the first start needs to know. */
interface NewCluster {
  readonly paths: ClusterPaths;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly durable: boolean;
}

/** Makes the data directory in a folder beside it and renames it, so that a kill on the way leaves nothing half-made. Throws StartupError. */
export async function initCluster(cluster: NewCluster): Promise<void> {
  const { dataDir, pgData } = cluster.paths;
  for (const entry of readdirSync(dataDir)) if (entry.startsWith(PREFIX)) removeFolder(path.join(dataDir, entry));
  const workspace = mkdtempSync(path.join(dataDir, PREFIX));
  try {
    await runInitdb(cluster, workspace);
    renameSync(path.join(workspace, 'data'), pgData);
  } finally {
    removeFolder(workspace);
  }
}

async function runInitdb({ binaries, user, password, durable }: NewCluster, workspace: string): Promise<void> {
  // A copy, because the server's user may not read the password file itself.
  const passwordFile = path.join(workspace, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveTo(user, workspace);
  const args = ['--username=platform', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--locale=C.UTF-8', '--encoding=UTF8'];
  await runProgram(user, { file: binaries.initdb, args: [...args, ...(durable ? [] : ['--no-sync']), '-D', path.join(workspace, 'data')] });
}

function removeFolder(folder: string): void {
  // An initdb whose launcher was killed may still be writing for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
