import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../../shared/errors.js';
import { type ClusterPaths, errorCode, readIfExists } from '../data-directory.js';
import type { Binaries } from './find-binaries.js';
import { type Awaited, type ReadyServer, removeForeignPostmasterFile, waitUntilReady } from './postmaster.js';
import { notRunnable, type ServerUser, spawnAs } from './server-user.js';

/** After a kill -9 the main process's children end within a second or two and hold the shared memory until then. */
const RETRY_FOR_MS = 15_000;
const RETRY_EVERY_MS = 250;
/** Also the chosen port may have been taken in the moment between. */
const WORTH_A_RETRY = /lock file .* already exists|shared memory block|could not create any TCP\/IP sockets/;

/** A server to start: what `initdb` and the server itself need to know. */
export interface Launch {
  readonly paths: ClusterPaths;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly durable: boolean;
  readonly interrupted: AbortSignal | undefined;
}

/**
 * Starts the server in a process group of its own and waits until it answers. Throws StartupError with the server's own reason, or the reason of
 * `interrupted`, and then leaves no server behind.
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

/** The server, or the reason why it ended. */
async function launchOnce({ paths, binaries, user, password, durable, interrupted }: Launch): Promise<ReadyServer | string> {
  interrupted?.throwIfAborted();
  const log = openServerLog(paths.logFile);
  try {
    // The port of the last time, if it is free: the connections of a program that outlived the server find the new one.
    const port = await findFreePort(readLastPort(paths.pgData));
    const command = { file: binaries.postgres, args: serverArguments(paths.pgData, port, durable) };
    // Detached: Ctrl-C in the terminal is for the service, which then stops the server after its last query.
    const child = spawnAs(user, command, { stdio: ['ignore', log.fd, log.fd], detached: true });
    child.unref();
    const server = await waitOrInterrupt(child, { paths, password, isGone: watchEnd(child, command.file), interrupted });
    return server ?? log.readReason();
  } finally {
    log.close();
  }
}

/** A server that cannot be used (a wrong password, a recovery without end) or is not needed any more is not left behind. */
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

/** A function that says whether the process ended, and throws StartupError if it could not be started. */
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

/** Settings for a database beside the service on one small machine; on the command line, so that an update of the service reaches old data. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200', // several processes with pools, workers and tests
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  max_parallel_workers_per_gather: '0', // parallel queries need /dev/shm, of which containers have little
  jit: 'off',
  log_checkpoints: 'off', // this log is not rotated
};

/** For test runs: a kill loses the last commits, a crash of the machine may lose everything. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The server's arguments for one data directory, which is an absolute path. */
function serverArguments(pgData: string, port: number, durable: boolean): string[] {
  const all = { ...settings, port: String(port), ...(durable ? {} : notDurable) };
  return ['-D', pgData, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The port of the last server on a data directory, as PostgreSQL keeps it (postmaster.opts, also after a kill); 0 when there was none. */
function readLastPort(pgData: string): number {
  const options = readIfExists(path.join(pgData, 'postmaster.opts')) ?? '';
  return Number(/"port=(\d{1,5})"/.exec(options)?.[1] ?? 0);
}

/** A port that is free on the loopback interface: `wish` if that one is, else one of the system's choosing. */
async function findFreePort(wish = 0): Promise<number> {
  const server = createServer().listen(wish, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (wish !== 0 && errorCode(error) === 'EADDRINUSE') return await findFreePort();
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}

/** A server in good order writes a few lines a day; a larger log is of no use any more and starts again. */
const MAX_LOG_BYTES = 10_000_000;

/**
 * What ended a session and not the server: the answer to our own polling, and the last words of a killed server's children, which may
 * come after the new server has given up because of them.
 */
const OF_A_SESSION = /the database system is|terminating connection/;

/** An open log file to hand to a server. */
export interface ServerLog {
  readonly fd: number;
  /** What the server wrote since, as the one line that says why it gave up. */
  readReason(): string;
  close(): void;
}

/** Opens the log (mode 0600), to append to it. */
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
