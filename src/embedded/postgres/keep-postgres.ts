import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type HeldPostgres, holdPostgres } from './hold-postgres.js';

/** What hears what becomes of the server; a pino log is one. */
export interface Hearer {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A disk that is full, say, is not free again the next moment. */
const TRY_AGAIN_MS = 5_000;

/**
 * Holds the server of a data directory like holdPostgres, and starts it again whenever it ends by itself: at the same port, so that
 * connection pools recover.
 */
export async function keepPostgres(dataDir: string, log: Hearer): Promise<Omit<HeldPostgres, 'lost'>> {
  let server = await holdPostgres(dataDir);
  const { url } = server;
  const letGo = new AbortController();
  const asked = once(letGo.signal, 'abort');

  const watch = async () => {
    for (;;) {
      await Promise.race([server.lost, asked]);
      if (letGo.signal.aborted) return;
      server = await restart(dataDir, log, letGo.signal);
      if (server.url === url) log.warn({}, 'the embedded PostgreSQL was lost and is back');
      else log.error({}, 'the embedded PostgreSQL was lost and is back, but at another port: restart the service');
    }
  };
  const watching = watch();

  const release = async () => {
    letGo.abort();
    await watching.catch(() => {}); // it was trying to start the server, and gave up
    await server.release();
  };
  return { url, release };
}

async function restart(dataDir: string, log: Hearer, letGo: AbortSignal): Promise<HeldPostgres> {
  for (;;) {
    try {
      return await holdPostgres(dataDir);
    } catch (err) {
      log.error({ err }, 'the embedded PostgreSQL was lost and does not start again, trying on');
    }
    await setTimeout(TRY_AGAIN_MS, undefined, { signal: letGo });
  }
}
