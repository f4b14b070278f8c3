import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findLocalStorage, type LocalStorageAddress, type LocalStorageProcess } from '@media-delivery/local-storage';
import { AwsClient } from 'aws4fetch';
import { StartupError } from '../../shared/errors.js';
import { ensureDataDir, toStartupError } from '../data-directory.js';
import { type AcquiredServer, type SupervisionLog, superviseServer } from '../supervise-server.js';

/** The storage's folder in the service's DATA_DIR. */
export const OBJECT_STORAGE_FOLDER = 'object-storage';

/** The environment variable that passes the Referer of the CDN to the storage process. */
export const ORIGIN_SECRET = 'MEDIA_CDN_ORIGIN_SECRET';

/** The message that this process receives from the storage process. */
export type Announcement = { readonly address: LocalStorageAddress } | { readonly problem: string };

/** The storage, held until this program releases it. */
export interface AcquiredObjectStorage extends LocalStorageAddress, AcquiredServer {}

/** Longer than a server takes to start or to end. */
const MAX_WAIT_MS = 10_000;
const POLL_EVERY_MS = 20;
/** How often to check whether a server that another program started has ended. */
const WATCH_EVERY_MS = 250;

/**
 * Uses the storage of a data directory if another program runs it, otherwise starts one. A storage that another program runs ends with it.
 * @throws StartupError with what the operator can do
 */
export async function acquireObjectStorage({ dataDir, ...place }: ServerPlace): Promise<AcquiredObjectStorage> {
  try {
    const folder = ensureDataDir(dataDir);
    return (await adopt(folder)) ?? (await startOrAdopt({ ...place, dataDir: folder }));
  } catch (error) {
    throw toStartupError(error, dataDir);
  }
}

/** If two programs start at the same moment, one serves, and the other uses its server. */
async function startOrAdopt(place: ServerPlace): Promise<AcquiredObjectStorage> {
  try {
    return await start(place);
  } catch (error) {
    const rival = await adopt(place.dataDir);
    if (rival === null) throw error;
    return rival;
  }
}

async function adopt(dataDir: string): Promise<AcquiredObjectStorage | null> {
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await delay(POLL_EVERY_MS)) {
    const server = findLocalStorage(dataDir);
    if (server === null) return null;
    if (server.address === null || !(await answers(server.address))) continue;
    const released = new AbortController();
    return { ...server.address, lost: endOf(server, dataDir, released.signal), release: async () => released.abort() };
  }
  return null; // its process exists but does not respond; starting a server then reports that
}

async function start(place: ServerPlace): Promise<AcquiredObjectStorage> {
  const { address, gone, stop } = await spawnServer(place);
  return { ...address, lost: gone, release: stop };
}

async function endOf({ pid, address }: LocalStorageProcess, dataDir: string, released: AbortSignal): Promise<void> {
  while (!released.aborted) {
    await delay(WATCH_EVERY_MS, undefined, { ref: false });
    const server = findLocalStorage(dataDir);
    if (server?.pid !== pid || server.address?.endpoint !== address?.endpoint) return;
  }
}

/** A temporary problem, such as a port that is still in use, is usually over by then. */
const RETRY_AFTER_MS = 1_000;

/** Acquires the storage of a data directory, and restarts it at the same port whenever it ends unexpectedly, so that clients recover. */
export async function superviseObjectStorage(place: ServerPlace, log: SupervisionLog): Promise<Omit<AcquiredObjectStorage, 'lost'>> {
  const { lost, ...storage } = await acquireObjectStorage(place);
  const samePlace = { ...place, port: Number(new URL(storage.endpoint).port) };
  const release = superviseServer<AcquiredServer>(
    { lost, release: storage.release },
    { name: 'the local object storage', retryAfterMs: RETRY_AFTER_MS, log, acquire: async () => await acquireObjectStorage(samePlace) },
  );
  return { ...storage, release };
}

/** After this time a process that does not end is killed. */
const END_WITHIN_MS = 5_000;

/** A storage in a child process. */
interface SpawnedServer {
  readonly address: LocalStorageAddress;
  readonly gone: Promise<void>;
  stop(): Promise<void>;
}

export interface ServerPlace {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** The Referer with which a CDN may read objects; empty or absent: none. */
  readonly originSecret?: string;
}

/**
 * Starts the storage in a child process, so that hashing gigabytes does not delay the service. It ends with this process.
 * @throws StartupError with what the operator can do
 */
async function spawnServer({ dataDir, host, port, originSecret = '' }: ServerPlace): Promise<SpawnedServer> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const env = { ...process.env, [ORIGIN_SECRET]: originSecret };
  const child = spawn(process.execPath, [program, dataDir, host, String(port)], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = await announcedBy(child);
  child.unref(); // a finished command can exit, which ends the storage too
  child.channel?.unref();
  return { address, gone, stop: () => stop(child, gone) };
}

async function announcedBy(child: ChildProcess): Promise<LocalStorageAddress> {
  return await new Promise<LocalStorageAddress>((resolve, reject) => {
    child.once('message', (message) => {
      const announcement = message as Announcement;
      if ('address' in announcement) resolve(announcement.address);
      else reject(new StartupError(announcement.problem));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`The local object storage ended (${signal ?? `code ${code}`}) before it listened.`)),
    );
  });
}

async function stop(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.ref();
  const killing = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(killing);
}

/** A server on this machine responds immediately. */
const ANSWER_WITHIN_MS = 2_000;

/** Whether the storage of this data directory responds at its address; no other server knows the key. */
async function answers({ endpoint, region, key }: LocalStorageAddress): Promise<boolean> {
  const client = new AwsClient({ ...key, service: 'sts', region, retries: 0 });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  try {
    const { ok } = await client.fetch(endpoint, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return ok;
  } catch {
    return false; // nothing listens there, or another program
  }
}
