import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterPaths } from './cluster-paths.js';
import type { Binaries } from './find-binaries.js';
import { runProgram } from './run-program.js';
import { giveTo, type ServerUser } from './server-user.js';

const PREFIX = 'postgres.init-';

/** What the first start needs to know. */
export interface NewCluster {
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
