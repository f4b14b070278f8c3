import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** A server that this program uses, possibly together with other programs of the same data directory. */
export interface AcquiredServer {
  /** Resolves when the server has ended unexpectedly (a kill, out of memory). */
  readonly lost: Promise<void>;
  /** Releases the server, and stops it if no other program needs it. */
  release(): Promise<void>;
}

/** Receives messages about a supervised server; a pino log is one. */
export interface SupervisionLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface Supervision<Server> {
  /** The name of the server in messages, such as `the embedded PostgreSQL`. */
  readonly name: string;
  readonly retryAfterMs: number;
  readonly log: SupervisionLog;
  /** Starts the server again, or adopts one that another program has started. */
  acquire(): Promise<Server>;
  /** Whether clients of the lost server can reconnect to the new one at the same address. */
  isSameAddress?(server: Server): boolean;
}

/** Restarts a server whenever it ends unexpectedly. Returns the function that releases it. */
export function superviseServer<Server extends AcquiredServer>(first: Server, supervision: Supervision<Server>): () => Promise<void> {
  const { name, log, isSameAddress = () => true } = supervision;
  let server = first;
  const released = new AbortController();
  const asked = once(released.signal, 'abort');

  const watch = async () => {
    for (;;) {
      await Promise.race([server.lost, asked]);
      if (released.signal.aborted) return;
      server = await restart(supervision, released.signal);
      if (isSameAddress(server)) log.warn({}, `${name} stopped unexpectedly and was restarted`);
      else log.error({}, `${name} stopped unexpectedly and was restarted on another port: restart the service`);
    }
  };
  const watching = watch();

  return async () => {
    released.abort();
    await watching.catch(() => {}); // it was trying to restart the server, and gave up
    await server.release();
  };
}

async function restart<Server>({ name, retryAfterMs, log, acquire }: Supervision<Server>, released: AbortSignal): Promise<Server> {
  for (;;) {
    try {
      return await acquire();
    } catch (err) {
      log.error({ err }, `${name} stopped unexpectedly and does not start, trying again`);
    }
    await setTimeout(retryAfterMs, undefined, { signal: released });
  }
}
