import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { countOtherClients } from './count-other-clients.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.js';
import { withStartLock } from './with-start-lock.js';

/** The embedded PostgreSQL while this program needs it: no other program of the same data directory stops it meanwhile. */
export interface HeldPostgres {
  readonly url: string;
  /** Resolves when the server ended although it was held (a kill, out of memory). */
  readonly lost: Promise<void>;
  /** Lets go, and stops the server if no other program holds or uses it. */
  release(): Promise<void>;
}

/** A server that another program stops right now is gone, and can be started anew, within this time. */
const PATIENCE_MS = 30_000;
const POLL_EVERY_MS = 20;
/** After this time the server has noticed that connections of ours, or of processes of ours that were killed, are gone. */
const FAREWELL_MS = 1_000;

/**
 * Starts, or adopts, the PostgreSQL of a data directory and holds it by a connection of its own, which the server drops when this process
 * dies. Throws StartupError with what the operator can do.
 */
export async function holdPostgres(dataDir: string): Promise<HeldPostgres> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await setTimeout(POLL_EVERY_MS)) {
    const server = await startEmbeddedPostgres({ dataDir });
    try {
      return await hold(server, dataDir);
    } catch (error) {
      // The last other program let go of it in this very moment and stops it.
      if (Date.now() > deadline) throw error;
    }
  }
}

/** @types/pg does not know these two. */
type HoldingClient = pg.Client & { ref(): void; unref(): void };

async function hold(server: EmbeddedPostgres, dataDir: string): Promise<HeldPostgres> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'hold' }) as HoldingClient;
  client.on('error', () => {}); // 'end' follows
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  client.unref(); // holding the server must not keep a finished command alive
  const release = async () => {
    client.ref();
    await client.end();
    if (await isUnused(server.url)) await server.stop();
  };
  return { url: server.url, lost, release: () => withStartLock(dataDir, release) };
}

async function isUnused(url: string): Promise<boolean> {
  for (const deadline = Date.now() + FAREWELL_MS; Date.now() < deadline; await setTimeout(POLL_EVERY_MS)) {
    const others = await countOtherClients(url).catch(() => 0); // a server that does not answer serves nobody
    if (others === 0) return true;
  }
  return false;
}
