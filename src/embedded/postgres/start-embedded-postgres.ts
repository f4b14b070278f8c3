import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../shared/errors.js';
import {
  type ClusterPaths,
  clusterPaths,
  errorCode,
  readIfExists,
  readOrMakePassword,
  toStartupError,
  withStartLock,
} from '../data-directory.js';
import { type AcquiredServer, type SupervisionLog, superviseServer } from '../supervise-server.js';
import { findBinaries, linkLibraries } from './find-binaries.js';
import { type Launch, launchServer } from './launch-server.js';
import { countOtherClients, findRunningServer, type ReadyServer, stopServer } from './postmaster.js';
import { chooseServerUser, giveTo, runProgram } from './server-user.js';

/** A running embedded PostgreSQL. It outlives this process unless it is stopped. */
export interface EmbeddedPostgres {
  /** postgres://platform:<password>@127.0.0.1:<port>/platform, with a superuser */
  readonly url: string;
  /** Whether another process had already started it and may still use it (see countOtherClients). */
  readonly adopted: boolean;
  /** Stops the server, even an adopted one, and waits until its process has ended. Throws if that takes longer than a minute. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The service's DATA_DIR; created if missing. */
  readonly dataDir: string;
  /** Receives a line of text when a step takes longer than usual. */
  readonly log?: (line: string) => void;
  /** False for test runs: faster, but commits may be lost in a crash. Default: true. */
  readonly durable?: boolean;
  /** Aborts the start. */
  readonly interrupted?: AbortSignal;
}

/**
 * Starts or adopts the PostgreSQL of a data directory and returns when it responds. Throws StartupError with what the operator can do, and
 * the reason of `interrupted` if that aborts; in both cases no process is left behind.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await withStartLock(options.dataDir, (dataDir) => adoptOrLaunch(clusterPaths(dataDir), options));
  } catch (error) {
    throw toStartupError(error, options.dataDir);
  }
}

async function adoptOrLaunch(
  paths: ClusterPaths,
  { log, durable = true, interrupted }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const binaries = findBinaries();
  const hasData = hasUsableData(paths.pgData, binaries.major);
  const password = readOrMakePassword(paths);
  const running = await findRunningServer(paths, password);
  if (running !== null) return handle(running, paths, true);
  linkLibraries(binaries);
  const user = chooseServerUser(paths, binaries);
  const cluster = { paths, binaries, user, password, durable, interrupted };
  if (hasData) giveTo(user, paths.pgData);
  else {
    log?.(`There is no database in ${paths.pgData} yet: creating one. To use that of another folder, set DATA_DIR.`);
    await initCluster(cluster);
  }
  return handle(await launchServer(cluster), paths, false);
}

function handle({ url, pid }: ReadyServer, paths: ClusterPaths, adopted: boolean): EmbeddedPostgres {
  return { url, adopted, stop: () => stopServer(paths, pid) };
}

/**
 * Whether there is data that PostgreSQL `major` can read; false if none has been created.
 * Throws StartupError if the folder contains data of another major version or something else.
 */
function hasUsableData(pgData: string, major: number): boolean {
  const version = readVersion(pgData);
  if (version === null) return false;
  if (version === String(major)) return true;
  throw new StartupError(
    `${pgData} was made by PostgreSQL ${version}, this is ${major}: dump it with the old version and restore it, move the folder away to start with empty data, or set DATABASE_URL.`,
  );
}

function readVersion(pgData: string): string | null {
  const version = readIfExists(path.join(pgData, 'PG_VERSION'));
  if (version !== null) return version.trim();
  if (isMissingOrEmpty(pgData)) return null;
  throw new StartupError(`${pgData} is not a PostgreSQL data directory: move it away, or set DATA_DIR to another folder.`);
}

function isMissingOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

const PREFIX = 'postgres.init-';

/** Creates the data directory in a temporary folder and renames it, so that a kill leaves nothing incomplete. Throws StartupError. */
async function initCluster(cluster: Launch): Promise<void> {
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

async function runInitdb({ binaries, user, password, durable, interrupted }: Launch, workspace: string): Promise<void> {
  // A copy, because the server's user may not be allowed to read the password file itself.
  const passwordFile = path.join(workspace, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveTo(user, workspace);
  const args = ['--username=platform', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--locale=C.UTF-8', '--encoding=UTF8'];
  const command = { file: binaries.initdb, args: [...args, ...(durable ? [] : ['--no-sync']), '-D', path.join(workspace, 'data')] };
  await runProgram(user, command, interrupted);
}

function removeFolder(folder: string): void {
  // The initdb of a killed launcher may still be writing for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** The embedded PostgreSQL, held by this program: other programs with the same data directory do not stop it meanwhile. */
interface AcquiredPostgres extends AcquiredServer {
  readonly url: string;
}

/** Within this time, a server that another program is stopping has ended and can be started again. */
const MAX_WAIT_MS = 30_000;
const POLL_EVERY_MS = 20;
/** Within this time, the server notices that connections of this process, or of killed processes, are closed. */
const DISCONNECT_MS = 1_000;

/**
 * Starts or adopts the PostgreSQL of a data directory and holds it with a dedicated connection, which the server drops when this process
 * dies. Throws like startEmbeddedPostgres.
 */
export async function acquirePostgres(options: EmbeddedPostgresOptions): Promise<AcquiredPostgres> {
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await setTimeout(POLL_EVERY_MS)) {
    const server = await startEmbeddedPostgres(options);
    try {
      return await hold(server, options.dataDir);
    } catch (error) {
      // The last other program has just released the server and is stopping it.
      if (Date.now() > deadline) throw error;
    }
  }
}

/** @types/pg does not declare these two methods. */
type HoldingClient = pg.Client & { ref(): void; unref(): void };

async function hold(server: EmbeddedPostgres, dataDir: string): Promise<AcquiredPostgres> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'hold' }) as HoldingClient;
  client.on('error', () => {}); // 'end' follows
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  client.unref(); // the connection must not keep a finished command running
  const release = async () => {
    client.ref();
    await client.end();
    if (await isUnused(server.url)) await server.stop();
  };
  return { url: server.url, lost, release: () => withStartLock(dataDir, release) };
}

async function isUnused(url: string): Promise<boolean> {
  for (const deadline = Date.now() + DISCONNECT_MS; Date.now() < deadline; await setTimeout(POLL_EVERY_MS)) {
    const others = await countOtherClients(url).catch(() => 0); // a server that does not respond has no clients
    if (others === 0) return true;
  }
  return false;
}

/** Long enough that a persistent problem, such as a full disk, does not cause constant restarts. */
const RETRY_AFTER_MS = 5_000;

/** Acquires the server of a data directory, and restarts it at the same port whenever it ends unexpectedly, so that connection pools recover. */
export async function supervisePostgres(
  { dataDir, interrupted }: EmbeddedPostgresOptions,
  log: SupervisionLog,
): Promise<Omit<AcquiredPostgres, 'lost'>> {
  const server = await acquirePostgres({ dataDir, interrupted });
  const release = superviseServer(server, {
    name: 'the embedded PostgreSQL',
    retryAfterMs: RETRY_AFTER_MS,
    log,
    acquire: async () => await acquirePostgres({ dataDir }),
    isSameAddress: ({ url }) => url === server.url,
  });
  return { url: server.url, release };
}
