import { clientDisconnected, forNoClient } from './waiting-client.js';

interface Underway<Result> {
  readonly result: Promise<Result>;
  /** Aborts when all clients that await the result have disconnected. */
  readonly abandoned: AbortController;
  clients: number;
}

/** Work that runs once for all clients that ask for the same at the same time. */
export class AbandonableWork<Result> {
  private readonly underway = new Map<string, Underway<Result>>();

  /** The result of the work with this key. The signal aborts when all clients that await it have disconnected; the work may leave a queue then. */
  async run(key: string, work: (abandoned: AbortSignal) => Promise<Result>): Promise<Result> {
    const shared = this.underway.get(key) ?? this.start(key, work);
    shared.clients += 1;
    const leave = () => {
      shared.clients -= 1;
      if (shared.clients > 0) return;
      this.end(key, shared); // a later client starts it again
      shared.abandoned.abort();
    };
    const signal = clientDisconnected();
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    try {
      return await shared.result;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Resolves when all work that has begun has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.underway.values()].map(({ result }) => result));
  }

  private start(key: string, work: (abandoned: AbortSignal) => Promise<Result>): Underway<Result> {
    const abandoned = new AbortController();
    const shared = { result: forNoClient(async () => await work(abandoned.signal)), abandoned, clients: 0 };
    this.underway.set(key, shared);
    const end = () => this.end(key, shared);
    shared.result.then(end, end);
    return shared;
  }

  private end(key: string, shared: Underway<Result>): void {
    if (this.underway.get(key) === shared) this.underway.delete(key);
  }
}
