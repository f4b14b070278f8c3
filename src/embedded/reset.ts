// The program of `npm run reset`: restores the state before the first `npm start`. It asks nothing, and refuses what could be a mistake.
import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findLocalStorage } from '@media-delivery/local-storage';
import { StartupError } from '../shared/errors.js';
import { type ClusterPaths, clusterPaths, errorCode, isStartLock, readPassword, toStartupError, withStartLock } from './data-directory.js';
import { OBJECT_STORAGE_FOLDER } from './object-storage/acquire-object-storage.js';
import { countOtherClients, findPostmaster, findRunningServer, stopServer } from './postgres/postmaster.js';

async function reset(dataDir: string): Promise<string> {
  if (process.env.NODE_ENV === 'production')
    throw new StartupError('npm run reset removes all data, so it refuses to run with NODE_ENV=production.');
  if (!existsSync(dataDir)) return `There is nothing to remove: ${dataDir} does not exist.`;
  refuseUnlessOurs(realpathSync(dataDir));
  await withStartLock(dataDir, async (realDataDir) => {
    refuseWhileServed(realDataDir);
    await stopUnused(clusterPaths(realDataDir));
    for (const entry of readdirSync(realDataDir)) if (!isStartLock(entry)) rmSync(path.join(realDataDir, entry), { recursive: true });
  });
  removeEmptied(dataDir);
  return `Removed ${dataDir}: the next \`npm start\` starts afresh.`;
}

/** Throws if the folder is not a data directory: DATA_DIR=~ or a mistyped path must not delete other files. */
function refuseUnlessOurs(dataDir: string): void {
  const holds = (folder: string) => `${folder}${path.sep}`.startsWith(dataDir.endsWith(path.sep) ? dataDir : `${dataDir}${path.sep}`);
  const entries = readdirSync(dataDir);
  const isOurs = entries.length === 0 || entries.some((entry) => entry.startsWith('postgres') || entry === OBJECT_STORAGE_FOLDER);
  if (isOurs && !holds(process.cwd()) && !holds(homedir())) return;
  throw new StartupError(`${dataDir} does not look like a data directory of this service: remove it by hand if it is one.`);
}

/** Throws while a service or command runs the object storage, which ends with that process. */
function refuseWhileServed(dataDir: string): void {
  if (findLocalStorage(path.join(dataDir, OBJECT_STORAGE_FOLDER)))
    throw new StartupError(`The service, or a command, is running on ${dataDir}: stop it first.`);
}

/** Stops a server without clients, which a killed service left behind; a running service always holds connections. */
async function stopUnused(paths: ClusterPaths): Promise<void> {
  const postmaster = findPostmaster(paths.pgData);
  if (postmaster === null) return;
  const server = await findRunningServer(paths, readPassword(paths) ?? '').catch((cause: unknown) => {
    const message = `The PostgreSQL in ${paths.pgData} does not say who uses it: stop the service, then \`kill -INT ${postmaster.pid}\`.`;
    throw new StartupError(message, { cause });
  });
  if (server === null) return;
  if ((await countOtherClients(server.url)) > 0) throw new StartupError(`The service is running on ${paths.dataDir}: stop it first.`);
  await stopServer(paths, server.pid);
}

/** Removes the empty folder; keeps a mount point, a symbolic link, or a folder that a starting service has filled again. */
function removeEmptied(dataDir: string): void {
  try {
    rmdirSync(dataDir);
  } catch (error) {
    if (!['EBUSY', 'ENOTDIR', 'ENOTEMPTY', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
  }
}

const dataDir = path.resolve(process.env.DATA_DIR || '.data');
try {
  console.log(await reset(dataDir));
} catch (error) {
  const explained = toStartupError(error, dataDir);
  if (!(explained instanceof StartupError)) throw explained;
  console.error(explained.message);
  process.exitCode = 1;
}
