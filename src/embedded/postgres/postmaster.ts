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
  /** Null while it has not written its port yet. */
  readonly port: number | null;
}

/** The living server of a data directory, as its postmaster.pid names it; null when none runs. */
export function findPostmaster(pgData: string): Postmaster | null {
  const postmaster = readPostmasterFile(pgData);
  return postmaster !== null && isServer(postmaster.pid) ? postmaster : null;
}

/**
 * Removes a postmaster.pid whose pid now belongs to another program, which is usual in a container that was killed: PostgreSQL
 * would see a living pid and refuse to start. With no such process it breaks the lock by itself; with a server it stays.
 */
export function removeForeignPostmasterFile(pgData: string): void {
  const postmaster = readPostmasterFile(pgData);
  if (postmaster !== null && processStartTime(postmaster.pid) !== null && !isServer(postmaster.pid))
    rmSync(pidFile(pgData), { force: true });
}

/** In doubt (no /proc) a living pid counts as a server, because two servers on one data directory destroy it. */
function isServer(pid: number): boolean {
  return processStartTime(pid) !== null && (processName(pid) ?? 'postgres') === 'postgres';
}

function readPostmasterFile(pgData: string): Postmaster | null {
  // Lines: pid, data directory, start time, port, socket directory, address, shared memory, status.
  const [pid = Number.NaN, , , port = Number.NaN] = (readIfExists(pidFile(pgData)) ?? '')
    .split('\n')
    .map((line) => Number.parseInt(line, 10));
  return pid > 0 ? { pid, port: port > 0 ? port : null } : null;
}

function pidFile(pgData: string): string {
  return path.join(pgData, 'postmaster.pid');
}

const POLL_EVERY_MS = 20;
/** The last checkpoint writes at most shared_buffers. */
const STOP_PATIENCE_MS = 60_000;

/**
 * Stops the server `pid` of a data directory (fast shutdown: sessions are cut off, nothing is lost) and waits until its process is
 * gone; does nothing when another or no server runs there. Throws when it does not end within a minute: it is never killed hard.
 */
export async function stopServer({ pgData, logFile }: ClusterPaths, pid: number): Promise<void> {
  if (findPostmaster(pgData)?.pid !== pid) return;
  const startTime = processStartTime(pid);
  interrupt(pid);
  const deadline = Date.now() + STOP_PATIENCE_MS;
  while (startTime !== null && isStillRunning(pid, startTime)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${pid}) does not stop; its log: ${logFile}`);
    await setTimeout(POLL_EVERY_MS);
  }
}

/** SIGINT asks the server for its fast shutdown. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it ended by itself
  }
}

/** Recovery after a crash reads at most max_wal_size again, which takes seconds, on a slow disk a minute. */
const START_PATIENCE_MS = 120_000;

/** A server that answers. */
export interface ReadyServer {
  readonly pid: number;
  readonly url: string;
}

/** What is waited for: the server on `paths.pgData`, until `isGone` says that it ended. */
export interface Awaited {
  readonly paths: ClusterPaths;
  readonly password: string;
  isGone(): boolean;
  readonly interrupted?: AbortSignal;
}

/**
 * Waits until the server answers with our password and our data directory; null when it ended first. Throws StartupError when it takes too
 * long, and the reason of `interrupted`.
 */
export async function waitUntilReady({ paths, password, isGone, interrupted }: Awaited): Promise<ReadyServer | null> {
  const deadline = Date.now() + START_PATIENCE_MS;
  let problem = 'it opened no port';
  while (!isGone()) {
    interrupted?.throwIfAborted();
    const { pid, port } = findPostmaster(paths.pgData) ?? { pid: 0, port: null };
    const answer = port === null ? problem : await probeServer(port, password, paths);
    if (answer === null && port !== null) return { pid, url: databaseUrl(port, password) };
    problem = answer ?? problem;
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL (process ${pid}) does not get ready: ${problem} (its log: ${paths.logFile}).`);
    await setTimeout(POLL_EVERY_MS);
  }
  return null;
}

/** Our server that still runs on a data directory, once it answers (it may just be recovering); null when none runs. Throws StartupError. */
export async function findRunningServer(paths: ClusterPaths, password: string): Promise<ReadyServer | null> {
  return waitUntilReady({ paths, password, isGone: () => findPostmaster(paths.pgData) === null });
}

/** Enough for a loaded machine; a port on which something silent listens must not hold up the start. */
const ANSWER_WITHIN_MS = 5_000;

/** The address of a database of the cluster, for example postgres://platform:…@127.0.0.1:41234/platform. */
function databaseUrl(port: number, password: string, database = 'platform'): string {
  return `postgres://platform:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs `work` on one connection, which it closes. Throws what pg throws. */
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS });
  // A connection lost between two queries: the next query reports it, and an unheard 'error' event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Tries once whether our server answers on a port: null when it does (the database `platform` is made if missing), otherwise why not yet.
 * Throws StartupError when waiting cannot help.
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

/** The first start's second half; a launcher killed before it is made up for by the next one. */
async function createDatabase(port: number, password: string): Promise<string> {
  await withClient(databaseUrl(port, password, 'postgres'), (client) => client.query('create database platform'));
  return 'the database was created just now';
}

function wrongPassword({ passwordFile, pgData }: ClusterPaths): StartupError {
  return new StartupError(
    `The password in ${passwordFile} does not match the data in ${pgData}: restore the file, or start again with \`npm run reset\`.`,
  );
}

/** How many connections besides this one a server has, over all its databases. A program that adopted a server asks this before it stops it. */
export async function countOtherClients(url: string): Promise<number> {
  const sql = `select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return withClient(url, async (client) => (await client.query<{ others: number }>(sql)).rows[0]?.others ?? 0);
}
