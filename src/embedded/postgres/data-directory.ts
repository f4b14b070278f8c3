import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../../shared/errors/startup-error.js';
import { errorCode } from './to-startup-error.js';

/** Where the embedded PostgreSQL keeps its things below the service's data directory. All paths are absolute. */
export interface ClusterPaths {
  readonly dataDir: string;
  readonly pgData: string;
  readonly passwordFile: string;
  readonly logFile: string;
}

/** The paths of one cluster; `dataDir` is absolute and free of symbolic links (see ensureDataDir). */
export function clusterPaths(dataDir: string): ClusterPaths {
  return {
    dataDir,
    pgData: path.join(dataDir, 'postgres'),
    passwordFile: path.join(dataDir, 'postgres-password'),
    logFile: path.join(dataDir, 'postgres.log'),
  };
}

/** Private to the user who runs the service; as root the server itself runs as the user `nobody`, which may pass through the folder but not list it. */
const modeOfNewDataDir = () => (isRoot() ? 0o711 : 0o700);

/** Makes the data directory if it is missing and returns its absolute path without symbolic links. Throws the file system's error. */
export function ensureDataDir(dataDir: string): string {
  const wanted = path.resolve(dataDir);
  const made = mkdirSync(wanted, { recursive: true, mode: modeOfNewDataDir() });
  // mkdir's mode is cut by the umask. A folder that was there before keeps the mode its owner gave it.
  if (made !== undefined) chmodSync(wanted, modeOfNewDataDir());
  return realpathSync(wanted);
}

/** Whether this process is root, whom PostgreSQL refuses to run as. False where users have no numbers. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The superuser's password; made on the first start. Throws StartupError when there is data but its password is lost. */
export function readOrMakePassword(paths: ClusterPaths): string {
  const password = readPassword(paths);
  if (password !== null) return password;
  if (existsSync(paths.pgData)) {
    throw new StartupError(`${paths.passwordFile} is missing: restore it from a backup, or start again with \`npm run reset\`.`);
  }
  return makePassword(paths);
}

/** The superuser's password, or null when none was made yet. */
export function readPassword({ passwordFile }: ClusterPaths): string | null {
  try {
    return readFileSync(passwordFile, 'utf8').trim() || null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function makePassword({ passwordFile }: ClusterPaths): string {
  const password = randomBytes(24).toString('base64url'); // needs no escaping in a URL
  const unfinished = `${passwordFile}.new`;
  writeFileSync(unfinished, `${password}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, passwordFile); // a kill in between leaves no half-written password
  return password;
}
