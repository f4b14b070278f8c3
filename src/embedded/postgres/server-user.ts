import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { StartupError } from '../../shared/errors.js';
import { type ClusterPaths, errorCode, isRoot } from '../data-directory.js';
import type { Binaries } from './find-binaries.js';

/** The operating system user that runs the server and owns its files. */
export interface ServerUser {
  /** Arguments before the command; empty unless `unshare` has to change the user. */
  readonly prefix: readonly string[];
  /** Passed to spawn; undefined: the user of this process. */
  readonly identity?: Identity;
  /** The user who must own the server's files; undefined if this process cannot or need not change owners. */
  readonly owner?: Identity;
}

const NOBODY: Identity = { uid: 65_534, gid: 65_534 };
const ROOT: Identity = { uid: 0, gid: 0 };
/** In its own user namespace, a root process appears as 65534 and loses root's privileges, but still owns root's files. */
const UNSHARE = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

/**
 * Chooses the server's user: the user of this process; for root, which PostgreSQL refuses, the owner of the data or `nobody`; or, if that
 * user cannot reach the data or the programs (a parent folder is 0700), root in a user namespace. Throws StartupError if nothing works.
 */
export function chooseServerUser({ dataDir, pgData }: ClusterPaths, { postgres }: Binaries): ServerUser {
  if (!isRoot()) return { prefix: [] };
  const identity = ownerOf(pgData) ?? NOBODY;
  if (canReach(dataDir, identity) && canReach(postgres, identity)) return { prefix: [], identity, owner: identity };
  if (canUnshare()) return { prefix: UNSHARE, owner: ROOT };
  const blocked = canReach(dataDir, identity) ? path.dirname(postgres) : dataDir;
  throw new StartupError(
    `PostgreSQL cannot run as root, and the user nobody cannot reach ${blocked}: move it to a path that all users can enter, run the service as a normal user, or set DATABASE_URL.`,
  );
}

/** Changes the owner of a folder and its contents to the server's user; the folder itself last, so that an interrupted run is repeated. */
export function giveTo({ owner }: ServerUser, folder: string): void {
  if (owner === undefined || isOwnedBy(owner, folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(path.join(folder, entry), owner.uid, owner.gid);
  chownSync(folder, owner.uid, owner.gid);
}

function isOwnedBy(owner: Identity, folder: string): boolean {
  return lstatSync(folder).uid === owner.uid;
}

function ownerOf(pgData: string): Identity | null {
  const info = statSync(pgData, { throwIfNoEntry: false });
  return info === undefined || info.uid === 0 ? null : { uid: info.uid, gid: info.gid };
}

function canUnshare(): boolean {
  const [program = '', ...words] = UNSHARE;
  return spawnSync(program, [...words, 'true'], { env: PROGRAM_ENV }).status === 0;
}

/** A numeric user without supplementary groups. */
interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Whether the user may traverse every folder down to `target` and enter (or execute) it, by mode bits; access control lists are ignored. */
export function canReach(target: string, user: Identity): boolean {
  const parent = path.dirname(target);
  return mayEnter(target, user) && (parent === target || canReach(parent, user));
}

function mayEnter(target: string, user: Identity): boolean {
  const { uid, gid, mode } = statSync(target);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** The whole environment of PostgreSQL's programs: the service's own contains secrets, and PG… variables would change their behaviour. */
const PROGRAM_ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** A PostgreSQL program; paths in its arguments are absolute. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

const ERROR = /^.*?(error|FATAL|PANIC): +/;
const PROGRAM_NAME = /^initdb: /;

/** Starts a program as the server's user. */
export function spawnAs({ prefix, identity }: ServerUser, { file, args }: Command, options: SpawnOptions): ChildProcess {
  const [program = file, ...words] = [...prefix, file, ...args];
  return spawn(program, words, { ...options, ...identity, env: PROGRAM_ENV, cwd: '/' });
}

/**
 * Runs a program until it exits. Throws StartupError with the program's own reason if it fails; if `interrupted` aborts, kills it with all
 * its child processes and throws the signal's reason.
 */
export async function runProgram(user: ServerUser, command: Command, interrupted?: AbortSignal): Promise<void> {
  interrupted?.throwIfAborted();
  const child = spawnAs(user, command, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const output = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const kill = () => killGroup(child);
  interrupted?.addEventListener('abort', kill);
  const [status] = await once(child, 'close').catch((error: unknown) => {
    throw notRunnable(command.file, error);
  });
  interrupted?.removeEventListener('abort', kill);
  interrupted?.throwIfAborted();
  if (status !== 0)
    throw new StartupError(`${path.basename(command.file)} of PostgreSQL failed: ${reasonIn(await output) || `exit status ${status}`}`);
}

/** Kills the processes of a detached child, which leads its own process group. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // they have already ended
  }
}

/** The error for a program that could not be started. The kernel also reports ENOENT if the program's C library is missing (musl). */
export function notRunnable(file: string, error: unknown): StartupError {
  const code = errorCode(error) ?? String(error);
  const why = code === 'ENOENT' ? 'it needs glibc, which this system (musl?) does not have' : `the system says ${code}`;
  return new StartupError(`The embedded PostgreSQL cannot run here (${file}: ${why}): set DATABASE_URL to a PostgreSQL of your own.`, {
    cause: error,
  });
}

function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // The first line with an error is the reason; later lines are hints and cleanup messages.
  const reason = lines.find((line) => ERROR.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(ERROR, '').replace(PROGRAM_NAME, '');
}
