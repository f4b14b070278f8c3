import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../shared/errors.js';
import { isStillRunning, processStartTime } from '../shared/process-start-time.js';

/** The paths of the embedded PostgreSQL in the service's data directory. All are absolute. */
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

/** Private to the user who runs the service. If that is root, the server runs as `nobody`, who may traverse the folder but not list it. */
const modeOfNewDataDir = () => (isRoot() ? 0o711 : 0o700);

/** Creates the data directory if it is missing and returns its absolute path without symbolic links. Throws the file system's error. */
export function ensureDataDir(dataDir: string): string {
  const wanted = path.resolve(dataDir);
  const made = mkdirSync(wanted, { recursive: true, mode: modeOfNewDataDir() });
  // mkdir's mode is reduced by the umask. An existing folder keeps its mode.
  if (made !== undefined) chmodSync(wanted, modeOfNewDataDir());
  return realpathSync(wanted);
}

/** Whether this process runs as root, which PostgreSQL refuses. False on systems without numeric user ids. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The superuser's password, created on the first start. Throws StartupError if the database exists but its password is lost. */
export function readOrMakePassword(paths: ClusterPaths): string {
  const password = readPassword(paths);
  if (password !== null) return password;
  if (existsSync(paths.pgData)) {
    throw new StartupError(`${paths.passwordFile} is missing: restore it from a backup, or start again with \`npm run reset\`.`);
  }
  return writeWhole(paths.passwordFile, randomBytes(24).toString('base64url')); // needs no escaping in a URL
}

/** The superuser's password, or null if none was created yet. */
export const readPassword = ({ passwordFile }: ClusterPaths): string | null => readIfExists(passwordFile)?.trim() || null;

const PREFIX = 'postgres.lock-';
/** A first start takes a second, crash recovery may take minutes; after this time a waiting program gives up and reports why. */
const MAX_WAIT_MS = 150_000;

/**
 * Runs `work` while no other launcher works on the same data directory (created if missing, passed to `work` without symbolic links).
 *
 * Each launcher creates a lock file with its own name and then looks for others; two that see each other both step back.
 * Unlike a single shared lock file, this cannot remove a fresh lock while breaking a stale one.
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
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const realDataDir = ensureDataDir(dataDir); // repeated in each round, because `npm run reset` may have removed it
    const rival = findRival(realDataDir, name) ?? announce(realDataDir, name);
    if (rival === null) return realDataDir;
    if (Date.now() > deadline)
      throw new StartupError(
        `Another process works on ${realDataDir}: stop it, or remove ${path.join(realDataDir, rival)} if it is not this service.`,
      );
    await setTimeout(10 + Math.random() * 30); // random, so that two launchers that stepped back do not collide again
  }
}

/** Creates the launcher's own lock file; if there is a rival, removes it again and returns the rival's name. */
function announce(dataDir: string, name: string): string | null {
  const file = path.join(dataDir, name);
  writeFileSync(file, '', { mode: 0o600 });
  const rival = findRival(dataDir, name);
  if (rival !== null) rmSync(file, { force: true });
  return rival;
}

/** The lock file of another living launcher; lock files of dead launchers are removed. */
function findRival(dataDir: string, ownName: string): string | null {
  const others = readdirSync(dataDir).filter((entry) => isStartLock(entry) && entry !== ownName);
  for (const name of others) {
    if (isHeld(name)) return name;
    rmSync(path.join(dataDir, name), { force: true });
  }
  return null;
}

/** Whether a file name in the data directory is a launcher's lock file. */
export function isStartLock(name: string): boolean {
  return name.startsWith(PREFIX);
}

function isHeld(name: string): boolean {
  const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
  return isStillRunning(Number(pid), startTime);
}

/**
 * Returns the content of a file in DATA_DIR that only its owner may read (mode 0600); `make` creates the content if there is no file.
 * Programs that start at the same moment get the same content. Throws StartupError if the folder cannot be used.
 */
export async function readOrCreateFile(dataDir: string, name: string, make: () => string): Promise<string> {
  try {
    return await withStartLock(dataDir, async (folder) => readOrMake(path.join(folder, name), make));
  } catch (error) {
    throw toStartupError(error, dataDir);
  }
}

const readOrMake = (file: string, make: () => string): string => readIfExists(file)?.trim() ?? writeWhole(file, make());

/** Writes a text atomically to a file that only its owner may read. Returns the text. */
function writeWhole(file: string, content: string): string {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
  return content;
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

const explanations: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `The disk of ${place} is full: free some space or set DATA_DIR to another disk.`,
  EDQUOT: (place) => `The disk quota for ${place} is used up: free some space or set DATA_DIR to another disk.`,
  EROFS: (place) => `${place} is on a read-only file system: set DATA_DIR to a folder that can be written.`,
  EACCES: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  EPERM: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  // Node returns ENOENT instead of EROFS if it cannot create folders.
  ENOENT: (place) => `${place} does not exist and cannot be created (a read-only file system?): set DATA_DIR to a writable folder.`,
  ENOTDIR: (place) => `${place} is below a file, not a folder: set DATA_DIR to a folder.`,
  EEXIST: (place) => `${place} is a file, not a folder: set DATA_DIR to a folder.`,
};

/** Converts a file system error to a StartupError of one line for the operator; returns any other error unchanged. */
export function toStartupError(error: unknown, dataDir: string): unknown {
  const explain = explanations[errorCode(error) ?? ''];
  if (error instanceof StartupError || explain === undefined) return error;
  return new StartupError(explain(errorPath(error) ?? dataDir), { cause: error });
}

/**
 * The `code` of a system error ('ENOENT') or of a PostgreSQL error ('28P01'); otherwise undefined.
 * Checks the shape, not the class: under Jest, errors of Node's own modules are instances of another realm's Error.
 */
export function errorCode(error: unknown): string | undefined {
  return textOf(error, 'code');
}

/** The `path` of a file system error. */
function errorPath(error: unknown): string | undefined {
  return textOf(error, 'path');
}

/** The `message` of an error, or its code if the message is empty, as for a refused connection to several addresses. */
export function errorMessage(error: unknown): string {
  return textOf(error, 'message') || (errorCode(error) ?? String(error));
}

function textOf(error: unknown, name: 'code' | 'path' | 'message'): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
