import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../shared/errors.js';
import { ensureDataDir, toStartupError } from '../data-directory.js';
import { type AcquiredServer, type SupervisionLog, superviseServer } from '../supervise-server.js';
import type { Announcement } from './main.js';
import { ORIGIN_SECRET } from './settings.js';
import { sha256Hex, signRequest } from './signature/signature.js';
import { addressOf, findServer, type ObjectStorageAddress, type ServerRecord } from './start-object-storage.js';

/** The storage, held until this program releases it. */
export interface AcquiredObjectStorage extends ObjectStorageAddress, AcquiredServer {}

/** Longer than a server takes to start or to end. */
const PATIENCE_MS = 10_000;
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
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await delay(POLL_EVERY_MS)) {
    const server = findServer(dataDir);
    if (server === null) return null;
    const address = await addressOf(dataDir, server.endpoint);
    if (server.endpoint === '' || !(await answers(address))) continue;
    const released = new AbortController();
    return { ...address, lost: endOf(server, dataDir, released.signal), release: async () => released.abort() };
  }
  return null; // its process exists but does not respond; starting a server then reports that
}

async function start(place: ServerPlace): Promise<AcquiredObjectStorage> {
  const { endpoint, gone, stop } = await spawnServer(place);
  return { ...(await addressOf(place.dataDir, endpoint)), lost: gone, release: stop };
}

async function endOf({ pid, endpoint }: ServerRecord, dataDir: string, released: AbortSignal): Promise<void> {
  while (!released.aborted) {
    await delay(WATCH_EVERY_MS, undefined, { ref: false });
    const server = findServer(dataDir);
    if (server?.pid !== pid || server.endpoint !== endpoint) return;
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
export interface SpawnedServer {
  readonly endpoint: string;
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
  const endpoint = await announcedBy(child);
  child.unref(); // a finished command can exit, which ends the storage too
  child.channel?.unref();
  return { endpoint, gone, stop: () => stop(child, gone) };
}

async function announcedBy(child: ChildProcess): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => {
      const announcement = message as Announcement;
      if ('endpoint' in announcement) resolve(announcement.endpoint);
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
const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Whether the storage of this data directory responds at its address; no other server knows the key. */
export async function answers({ endpoint, region, key }: ObjectStorageAddress): Promise<boolean> {
  const request = {
    method: 'POST',
    url: new URL(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: sha256Hex(BODY),
  };
  const { host: _, ...headers } = signRequest(request, { key, region, service: 'sts', at: new Date() });
  try {
    const { ok } = await fetch(endpoint, { method: 'POST', headers, body: BODY, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return ok;
  } catch {
    return false; // nothing listens there, or another program
  }
}
