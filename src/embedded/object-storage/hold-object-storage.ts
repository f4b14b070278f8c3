import { setTimeout } from 'node:timers/promises';
import { ensureDataDir } from '../postgres/ensure-data-dir.js';
import { toStartupError } from '../postgres/to-startup-error.js';
import { answers } from './probe-server.js';
import { findServer, type ServerNote } from './server-file.js';
import { type ServerPlace, spawnServer } from './spawn-server.js';
import { addressOf, type ObjectStorageAddress } from './start-object-storage.js';

/** The storage while this program needs it. */
export interface HeldObjectStorage extends ObjectStorageAddress {
  /** Resolves when the server ended although it was held. */
  readonly lost: Promise<void>;
  /** Lets go, and stops the server if this program started it. */
  release(): Promise<void>;
}

/** A server that starts or ends in this moment has done so within this time. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 20;
/** How soon the end of a server that another program started is noticed. */
const WATCH_EVERY_MS = 250;

/**
 * Uses the storage of a data directory if another program runs it, or else starts one. One that another program runs ends with that program.
 * @throws StartupError with what the operator can do
 */
export async function holdObjectStorage({ dataDir, ...place }: ServerPlace): Promise<HeldObjectStorage> {
  try {
    const folder = ensureDataDir(dataDir);
    return (await adopt(folder)) ?? (await startOrAdopt({ ...place, dataDir: folder }));
  } catch (error) {
    throw toStartupError(error, dataDir);
  }
}

/** Of two programs that start at the same moment one serves, and the other one finds it. */
async function startOrAdopt(place: ServerPlace): Promise<HeldObjectStorage> {
  try {
    return await start(place);
  } catch (error) {
    const rival = await adopt(place.dataDir);
    if (rival === null) throw error;
    return rival;
  }
}

async function adopt(dataDir: string): Promise<HeldObjectStorage | null> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await setTimeout(POLL_EVERY_MS)) {
    const server = findServer(dataDir);
    if (server === null) return null;
    const address = await addressOf(dataDir, server.endpoint);
    if (server.endpoint === '' || !(await answers(address))) continue;
    const letGo = new AbortController();
    return { ...address, lost: endOf(server, dataDir, letGo.signal), release: async () => letGo.abort() };
  }
  return null; // it holds the folder and does not answer; the start says so
}

async function start(place: ServerPlace): Promise<HeldObjectStorage> {
  const { endpoint, gone, stop } = await spawnServer(place);
  return { ...(await addressOf(place.dataDir, endpoint)), lost: gone, release: stop };
}

async function endOf({ pid, endpoint }: ServerNote, dataDir: string, letGo: AbortSignal): Promise<void> {
  while (!letGo.aborted) {
    await setTimeout(WATCH_EVERY_MS, undefined, { ref: false });
    const server = findServer(dataDir);
    if (server?.pid !== pid || server.endpoint !== endpoint) return;
  }
}
