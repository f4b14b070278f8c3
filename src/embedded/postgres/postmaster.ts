import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../shared/errors.js';
import { isStillRunning, processName, processStartTime } from '../../shared/process-start-time.js';
import { type ClusterPaths, errorCode, errorMessage, readIfExists } from '../data-directory.js';

/** The main process of a running server. */
interface Postmaster {
  readonly pid: number;
  /** Null until the server has written its port. */
  readonly port: number | null;
}

/** The living server of a data directory according to its postmaster.pid; null if none runs. */
export function findPostmaster(pgData: string): Postmaster | null {
  const postmaster = readPostmasterFile(pgData);
  return postmaster !== null && isServer(postmaster.pid) ? postmaster : null;
}

/**
 * Removes a postmaster.pid whose pid now belongs to another program, which is common after a container was killed: PostgreSQL
 * would see a living pid and refuse to start. If no such process exists, PostgreSQL removes the file itself; the file of a server stays.
 */
export function removeForeignPostmasterFile(pgData: string): void {
  const postmaster = readPostmasterFile(pgData);
  if (postmaster !== null && processStartTime(postmaster.pid) !== null && !isServer(postmaster.pid))
    rmSync(pidFile(pgData), { force: true });
}

/** Without /proc, any living pid counts as a server, because two servers on one data directory would destroy it. */
function isServer(pid: number): boolean {
  return processStartTime(pid) !== null && (processName(pid) ?? 'postgres') === 'postgres';
}

function readPostmasterFile(pgData: string): Postmaster | null {
  // Lines of postmaster.pid: pid, data directory, start time, port, socket directory, address, shared memory, status.
  const [pid = Number.NaN, , , port = Number.NaN] = (readIfExists(pidFile(pgData)) ?? '')
    .split('\n')
    .map((line) => Number.parseInt(line, 10));
  return pid > 0 ? { pid, port: port > 0 ? port : null } : null;
}

function pidFile(pgData: string): string {
  return path.join(pgData, 'postmaster.pid');
}

const POLL_EVERY_MS = 20;
/** Enough for the last checkpoint, which writes at most shared_buffers. */
const STOP_TIMEOUT_MS = 60_000;

/**
 * Stops the server `pid` of a data directory (fast shutdown: sessions are closed, nothing is lost) and waits until its process has
 * ended; does nothing if this server is not running there. Throws if it does not end within a minute; it is never killed.
 */
export async function stopServer({ pgData, logFile }: ClusterPaths, pid: number): Promise<void> {
  if (findPostmaster(pgData)?.pid !== pid) return;
  const startTime = processStartTime(pid);
  interrupt(pid);
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (startTime !== null && isStillRunning(pid, startTime)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${pid}) does not stop; its log: ${logFile}`);
    await setTimeout(POLL_EVERY_MS);
  }
}

/** Sends SIGINT, which requests a fast shutdown. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it has already ended
  }
}

/** Crash recovery replays at most max_wal_size, which takes seconds, or a minute on a slow disk. */
const START_TIMEOUT_MS = 120_000;

/** A server that accepts connections. */
export interface ReadyServer {
  readonly pid: number;
  readonly url: string;
}

/** The server to wait for: the one on `paths.pgData`, until `isGone` reports that it ended. */
export interface Awaited {
  readonly paths: ClusterPaths;
  readonly password: string;
  isGone(): boolean;
  readonly interrupted?: AbortSignal;
}

/**
 * Waits until the server responds with our password and data directory; null if it ended first. Throws StartupError if it takes too
 * long, and the reason of `interrupted`.
 */
export async function waitUntilReady({ paths, password, isGone, interrupted }: Awaited): Promise<ReadyServer | null> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let problem = 'it opened no port';
  while (!isGone()) {
    interrupted?.throwIfAborted();
    const { pid, port } = findPostmaster(paths.pgData) ?? { pid: 0, port: null };
    const answer = port === null ? problem : await probeServer(port, password, paths);
    if (answer === null && port !== null) return { pid, url: databaseUrl(port, password) };
    problem = answer ?? problem;
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL (process ${pid}) does not become ready: ${problem} (its log: ${paths.logFile}).`);
    await setTimeout(POLL_EVERY_MS);
  }
  return null;
}

/** Waits for the server that runs on a data directory, which may still be recovering; null if none runs. Throws StartupError. */
export async function findRunningServer(paths: ClusterPaths, password: string): Promise<ReadyServer | null> {
  return waitUntilReady({ paths, password, isGone: () => findPostmaster(paths.pgData) === null });
}

/** Enough for a loaded machine, while an unresponsive program on the port does not delay the start for long. */
const ANSWER_WITHIN_MS = 5_000;

/** The URL of a database of the cluster, for example postgres://platform:…@127.0.0.1:41234/platform. */
function databaseUrl(port: number, password: string, database = 'platform'): string {
  return `postgres://platform:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs `work` on a new connection and closes it. Throws the errors of pg. */
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS });
  // If the connection breaks between two queries, the next query reports it; an unhandled 'error' event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Tests once whether our server responds on a port: null if it does (the database `platform` is created if missing), otherwise the reason.
 * Throws StartupError if waiting cannot help.
 */
async function probeServer(port: number, password: string, paths: ClusterPaths): Promise<string | null> {
  try {
    const dataDirectory = await withClient(databaseUrl(port, password), readDataDirectory);
    return realpathSync(dataDirectory) === paths.pgData ? null : `another server (${dataDirectory}) listens on port ${port}`;
  } catch (error) {
    if (errorCode(error) === '3D000') return createDatabase(port, password).catch(errorMessage);
    if (errorCode(error) === '28P01') throw wrongPassword(paths);
    return errorMessage(error);
  }
}

async function readDataDirectory(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  return rows[0]?.data_directory ?? '';
}

/** Completes the first start; also runs after a launcher was killed before this step. */
async function createDatabase(port: number, password: string): Promise<string> {
  await withClient(databaseUrl(port, password, 'postgres'), (client) => client.query('create database platform'));
  return 'the database was created just now';
}

function wrongPassword({ passwordFile, pgData }: ClusterPaths): StartupError {
  return new StartupError(
    `The password in ${passwordFile} does not match the data in ${pgData}: restore the file, or start again with \`npm run reset\`.`,
  );
}

/** The number of other connections to all databases of the server. A program that adopted a server checks it before stopping the server. */
export async function countOtherClients(url: string): Promise<number> {
  const sql = `select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return withClient(url, async (client) => (await client.query<{ others: number }>(sql)).rows[0]?.others ?? 0);
}
