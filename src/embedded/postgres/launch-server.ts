import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../../shared/errors.js';
import { type ClusterPaths, errorCode, readIfExists } from '../data-directory.js';
import type { Binaries } from './find-binaries.js';
import { type Awaited, type ReadyServer, removeForeignPostmasterFile, waitUntilReady } from './postmaster.js';
import { notRunnable, type ServerUser, spawnAs } from './server-user.js';

/** After a kill -9 of the main process, its children end within a second or two and keep the shared memory until then. */
const RETRY_FOR_MS = 15_000;
const RETRY_EVERY_MS = 250;
/** The last pattern: another program may have taken the chosen port in the meantime. */
const WORTH_A_RETRY = /lock file "[^"]*" already exists|shared memory block|could not create any TCP\/IP sockets/;

/** The parameters of `initdb` and of the server. */
export interface Launch {
  readonly paths: ClusterPaths;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly durable: boolean;
  readonly interrupted: AbortSignal | undefined;
}

/**
 * Starts the server in its own process group and waits until it responds. Throws StartupError with the server's own reason, or the reason of
 * `interrupted`; in both cases no server is left running.
 */
export async function launchServer(launch: Launch): Promise<ReadyServer> {
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    removeForeignPostmasterFile(launch.paths.pgData);
    const result = await launchOnce(launch);
    if (typeof result !== 'string') return result;
    if (!WORTH_A_RETRY.test(result) || Date.now() > deadline) {
      throw new StartupError(`PostgreSQL did not start: ${result} (its log: ${launch.paths.logFile})`);
    }
    await setTimeout(RETRY_EVERY_MS);
  }
}

/** Starts the server once; returns the server, or the reason why it ended. */
async function launchOnce({ paths, binaries, user, password, durable, interrupted }: Launch): Promise<ReadyServer | string> {
  interrupted?.throwIfAborted();
  const log = openServerLog(paths.logFile);
  try {
    // Uses the previous port if it is free, so that the connection pools of a program that outlived the server can reconnect.
    const port = await findFreePort(readLastPort(paths.pgData));
    const command = { file: binaries.postgres, args: serverArguments(paths.pgData, port, durable) };
    // Detached, because Ctrl-C in the terminal is meant for the service, which stops the server after its last query.
    const child = spawnAs(user, command, { stdio: ['ignore', log.fd, log.fd], detached: true });
    child.unref();
    const server = await waitOrInterrupt(child, { paths, password, isGone: watchEnd(child, command.file), interrupted });
    return server ?? log.readReason();
  } finally {
    log.close();
  }
}

/** Waits for the server; stops it if it cannot be used (wrong password, endless recovery) or is no longer needed. */
async function waitOrInterrupt(child: ChildProcess, awaited: Awaited): Promise<ReadyServer | null> {
  try {
    return await waitUntilReady(awaited);
  } catch (error) {
    if (child.kill('SIGINT')) {
      child.ref();
      await once(child, 'exit');
    }
    throw error;
  }
}

/** Returns a function that reports whether the process has ended; it throws StartupError if the process could not be started. */
function watchEnd(child: ChildProcess, file: string): () => boolean {
  let failure: unknown;
  child.once('error', (error) => {
    failure = error;
  });
  return () => {
    if (failure !== undefined) throw notRunnable(file, failure);
    return child.exitCode !== null || child.signalCode !== null;
  };
}

/**
 * The cache in MB: an eighth of the memory, from 256 MB to 1 GB, which holds the search entries of a million media containers: facets that read all
 * matches gain by it, pages of finds hardly. Memory is used only as pages are read.
 */
function sharedBuffers(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(1024, Math.max(256, Math.floor(memory / 8 / 1_048_576)));
}

/**
 * Settings for a database on a small machine shared with the service; passed as arguments, so that updates also apply to existing data directories.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200', // several processes with pools, workers and tests
  shared_buffers: `${sharedBuffers()}MB`,
  max_wal_size: '512MB',
  max_parallel_workers_per_gather: '0', // parallel queries need /dev/shm, of which containers have little
  jit: 'off',
  log_checkpoints: 'off', // this log is not rotated
};

/** For test runs: a kill loses the last commits, and a machine failure may lose everything. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The server's arguments for a data directory, whose path is absolute. */
function serverArguments(pgData: string, port: number, durable: boolean): string[] {
  const all = { ...settings, port: String(port), ...(durable ? {} : notDurable) };
  return ['-D', pgData, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The port of the last server on a data directory, from postmaster.opts, which remains after a kill; 0 if there was none. */
function readLastPort(pgData: string): number {
  const options = readIfExists(path.join(pgData, 'postmaster.opts')) ?? '';
  return Number(/"port=(\d{1,5})"/.exec(options)?.[1] ?? 0);
}

/** A free port on the loopback interface: `preferred` if it is free, otherwise one that the system chooses. */
async function findFreePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (preferred !== 0 && errorCode(error) === 'EADDRINUSE') return await findFreePort();
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}

/** A healthy server writes a few lines a day; a larger log is no longer useful and is truncated. */
const MAX_LOG_BYTES = 10_000_000;

/**
 * Messages that concern a session and not the server: the response to polling, and the last messages of a killed server's children, which
 * may appear after the new server has given up because of them.
 */
const OF_A_SESSION = /the database system is|terminating connection/;

/** An open log file that is passed to a server. */
export interface ServerLog {
  readonly fd: number;
  /** Returns the line that the server has written since the log was opened and that best explains why it ended. */
  readReason(): string;
  close(): void;
}

/** Opens the log for appending (mode 0600). */
export function openServerLog(logFile: string): ServerLog {
  const fd = openForAppend(logFile);
  const start = fstatSync(fd).size;
  return {
    fd,
    readReason: () => reasonIn(readFileSync(logFile).subarray(start).toString()),
    close: () => closeSync(fd),
  };
}

function openForAppend(logFile: string): number {
  const fd = openSync(logFile, 'a', 0o600);
  if (fstatSync(fd).size < MAX_LOG_BYTES) return fd;
  closeSync(fd);
  return openSync(logFile, 'w', 0o600);
}

function reasonIn(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => /(FATAL|PANIC): /.test(line) && !OF_A_SESSION.test(line));
  return (fatal ?? lines.at(-1) ?? 'it wrote nothing').replace(/^.*(FATAL|PANIC): +/, '');
}
