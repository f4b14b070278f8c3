import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.js';
import { countOtherClients } from './wait-until-ready.js';
import { withStartLock } from './with-start-lock.js';

/** The embedded PostgreSQL while this program needs it: no other program of the same data directory stops it meanwhile. */
interface AcquiredPostgres {
  readonly url: string;
  /** Resolves when the server ended although it was held (a kill, out of memory). */
  readonly lost: Promise<void>;
  /** Releases the server, and stops it if no other program uses it. */
  release(): Promise<void>;
}

/** A server that another program stops right now is gone, and can be started anew, within this time. */
const PATIENCE_MS = 30_000;
const POLL_EVERY_MS = 20;
/** After this time the server has noticed that connections of ours, or of processes of ours that were killed, are gone. */
const DISCONNECT_MS = 1_000;

/**
 * Starts, or adopts, the PostgreSQL of a data directory and holds it by a connection of its own, which the server drops when this process
 * dies. Throws StartupError with what the operator can do.
 */
export async function acquirePostgres(dataDir: string): Promise<AcquiredPostgres> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await setTimeout(POLL_EVERY_MS)) {
    const server = await startEmbeddedPostgres({ dataDir });
    try {
      return await hold(server, dataDir);
    } catch (error) {
      // The last other program released it in this moment and stops it.
      if (Date.now() > deadline) throw error;
    }
  }
}

/** @types/pg does not know these two. */
type HoldingClient = pg.Client & { ref(): void; unref(): void };

async function hold(server: EmbeddedPostgres, dataDir: string): Promise<AcquiredPostgres> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'hold' }) as HoldingClient;
  client.on('error', () => {}); // 'end' follows
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  client.unref(); // the connection must not keep a finished command alive
  const release = async () => {
    client.ref();
    await client.end();
    if (await isUnused(server.url)) await server.stop();
  };
  return { url: server.url, lost, release: () => withStartLock(dataDir, release) };
}

async function isUnused(url: string): Promise<boolean> {
  for (const deadline = Date.now() + DISCONNECT_MS; Date.now() < deadline; await setTimeout(POLL_EVERY_MS)) {
    const others = await countOtherClients(url).catch(() => 0); // a server that does not answer has no clients
    if (others === 0) return true;
  }
  return false;
}

/** Receives messages about a supervised server; a pino log is one. */
export interface SupervisionLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A disk that is full, say, is not free again the next moment. */
const TRY_AGAIN_MS = 5_000;

/**
 * Acquires the server of a data directory, and starts it again whenever it ends by itself: at the same port, so that
 * connection pools recover.
 */
export async function supervisePostgres(dataDir: string, log: SupervisionLog): Promise<Omit<AcquiredPostgres, 'lost'>> {
  let server = await acquirePostgres(dataDir);
  const { url } = server;
  const released = new AbortController();
  const asked = once(released.signal, 'abort');

  const watch = async () => {
    for (;;) {
      await Promise.race([server.lost, asked]);
      if (released.signal.aborted) return;
      server = await restart(dataDir, log, released.signal);
      if (server.url === url) log.warn({}, 'the embedded PostgreSQL was lost and is back');
      else log.error({}, 'the embedded PostgreSQL was lost and is back, but at another port: restart the service');
    }
  };
  const watching = watch();

  const release = async () => {
    released.abort();
    await watching.catch(() => {}); // it was trying to start the server, and gave up
    await server.release();
  };
  return { url, release };
}

async function restart(dataDir: string, log: SupervisionLog, released: AbortSignal): Promise<AcquiredPostgres> {
  for (;;) {
    try {
      return await acquirePostgres(dataDir);
    } catch (err) {
      log.error({ err }, 'the embedded PostgreSQL was lost and does not start again, trying on');
    }
    await setTimeout(TRY_AGAIN_MS, undefined, { signal: released });
  }
}
