import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../shared/errors.js';
import { isStillRunning, processStartTime } from '../shared/process-start-time.js';

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
  return writeWhole(paths.passwordFile, randomBytes(24).toString('base64url')); // needs no escaping in a URL
}

/** The superuser's password, or null when none was made yet. */
export const readPassword = ({ passwordFile }: ClusterPaths): string | null => readIfExists(passwordFile)?.trim() || null;

const PREFIX = 'postgres.lock-';
/** A first start takes a second, crash recovery may take minutes; after this time a waiting program gives up and says why. */
const PATIENCE_MS = 150_000;

/**
 * Runs `work` while no other launcher works on the same data directory (made if missing, given to `work` without symbolic links).
 *
 * Each launcher announces itself by a file of its own name and then looks for others; two that see each other both step back.
 * Unlike one shared lock file this has no moment in which a stale lock is broken and a fresh one removed with it.
 */
export async function withStartLock<T>(dataDir: string, work: (realDataDir: string) => Promise<T>): Promise<T> {
  const name = `${PREFIX}${process.pid}-${processStartTime(process.pid)}-${randomBytes(4).toString('hex')}`;
  const realDataDir = await acquire(dataDir, name);
  try {
    return await work(realDataDir);
  } finally {
    rmSync(path.join(realDataDir, name), { force: true });
  }
}

async function acquire(dataDir: string, name: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const realDataDir = ensureDataDir(dataDir); // again in each round: `npm run reset` may have removed it
    const rival = findRival(realDataDir, name) ?? announce(realDataDir, name);
    if (rival === null) return realDataDir;
    if (Date.now() > deadline)
      throw new StartupError(
        `Another process works on ${realDataDir}: stop it, or remove ${path.join(realDataDir, rival)} if it is not this service.`,
      );
    await setTimeout(10 + Math.random() * 30); // random, so that two that stepped back do not meet again
  }
}

/** Writes the own lock file; with a rival at the same moment it takes it back and returns that one's. */
function announce(dataDir: string, name: string): string | null {
  const file = path.join(dataDir, name);
  writeFileSync(file, '', { mode: 0o600 });
  const rival = findRival(dataDir, name);
  if (rival !== null) rmSync(file, { force: true });
  return rival;
}

/** The lock file of another living launcher; those of dead ones are removed on the way. */
function findRival(dataDir: string, ownName: string): string | null {
  const others = readdirSync(dataDir).filter((entry) => isStartLock(entry) && entry !== ownName);
  for (const name of others) {
    if (isHeld(name)) return name;
    rmSync(path.join(dataDir, name), { force: true });
  }
  return null;
}

/** Whether a name in the data directory is a launcher's announcement. */
export function isStartLock(name: string): boolean {
  return name.startsWith(PREFIX);
}

function isHeld(name: string): boolean {
  const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
  return isStillRunning(Number(pid), startTime);
}

/**
 * The content of a file of DATA_DIR that only its owner may read (mode 0600), by `make` the first time. Programs that start at the same
 * moment get the same. Throws StartupError when the folder cannot be used.
 */
export async function readOrCreateFile(dataDir: string, name: string, make: () => string): Promise<string> {
  try {
    return await withStartLock(dataDir, async (folder) => readOrMake(path.join(folder, name), make));
  } catch (error) {
    throw toStartupError(error, dataDir);
  }
}

const readOrMake = (file: string, make: () => string): string => readIfExists(file)?.trim() ?? writeWhole(file, make());

/** Writes a text into a file that only its owner may read; a kill in between leaves no half of it. Returns the text. */
function writeWhole(file: string, content: string): string {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
  return content;
}

/** The content of a file; null when it does not exist. */
export function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

const explanations: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `The disk of ${place} is full: free some space or set DATA_DIR to another disk.`,
  EDQUOT: (place) => `The disk quota for ${place} is used up: free some space or set DATA_DIR to another disk.`,
  EROFS: (place) => `${place} is on a read-only file system: set DATA_DIR to a folder that can be written.`,
  EACCES: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  EPERM: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  // Node answers ENOENT instead of EROFS when it cannot make folders.
  ENOENT: (place) => `${place} is missing and cannot be made (a read-only file system?): set DATA_DIR to a folder that can be written.`,
  ENOTDIR: (place) => `${place} is below a file, not a folder: set DATA_DIR to a folder.`,
  EEXIST: (place) => `${place} is a file, not a folder: set DATA_DIR to a folder.`,
};

/** The StartupError that explains a file system error to the operator in one line; any other error comes back as it is. */
export function toStartupError(error: unknown, dataDir: string): unknown {
  const explain = explanations[errorCode(error) ?? ''];
  if (error instanceof StartupError || explain === undefined) return error;
  return new StartupError(explain(errorPath(error) ?? dataDir), { cause: error });
}

/**
 * The `code` of a system error ('ENOENT') or of a PostgreSQL error ('28P01'); undefined without one.
 * Looks at the shape and not at the class: under Jest the errors of Node's own modules are of another realm's Error.
 */
export function errorCode(error: unknown): string | undefined {
  return textOf(error, 'code');
}

/** The `path` of a file system error. */
function errorPath(error: unknown): string | undefined {
  return textOf(error, 'path');
}

/** The `message` of an error; the code where it is empty, as with a refused connection to several addresses. */
export function errorMessage(error: unknown): string {
  return textOf(error, 'message') || (errorCode(error) ?? String(error));
}

function textOf(error: unknown, name: 'code' | 'path' | 'message'): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
