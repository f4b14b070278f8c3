import { Socket } from 'node:net';
import pg from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 1_000;
/** A peer that vanished without closing (a failover, a firewall) is noticed by its silence: TCP alone would wait for hours. */
const PING_EVERY_MS = 2_000;
const PING_TIMEOUT_MS = 3_000;

export interface StandingConnectionOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  /** What every new connection begins with. It counts as connected when this has ended. */
  prepare(connection: StandingConnection): Promise<void>;
  /** Called when a connection is ready, the first one too. */
  connected?(): void;
  notified?(channel: string, payload: string): void;
  failed(error: unknown): void;
}

/** One connection apart from the pool, for what lasts: LISTEN, advisory locks. It is made again whenever it breaks, until it is closed. */
export class StandingConnection {
  /** The connection in use or being made. */
  private client: pg.Client | null = null;
  /** The socket of `client`. */
  private socket = new Socket();
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  /** Statements go one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  /** Whether it is ready for work now. */
  connected = false;

  constructor(private readonly options: StandingConnectionOptions) {}

  /** Connects; when that fails, it is tried again until it succeeds, and the call ends nevertheless. */
  async open(): Promise<void> {
    const { databaseUrl, applicationName } = this.options;
    const socket = new Socket();
    this.socket = socket;
    const client = new pg.Client({
      stream: () => socket,
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    this.client = client;
    client.on('error', () => void this.giveUp(client, 0));
    client.on('end', () => void this.giveUp(client, 0));
    client.on('notification', ({ channel, payload }) => this.options.notified?.(channel, payload ?? ''));
    try {
      await client.connect();
      await this.options.prepare(this);
    } catch (error) {
      if (this.client === client) this.options.failed(error);
      await this.giveUp(client, RETRY_AFTER_MS);
    }
    if (this.client !== client) return; // lost or closed meanwhile
    this.connected = true;
    this.pingLater(client);
    this.options.connected?.();
  }

  /** Rejects while there is no connection, and when the answer takes longer than 10 seconds. */
  async query(text: string, values: readonly unknown[] = [], timeoutMs = QUERY_TIMEOUT_MS): Promise<void> {
    const { client } = this;
    const run = this.last.then(async () => {
      if (!client || this.client !== client) throw new Error('There is no connection.');
      const statement = { text, values: [...values], query_timeout: timeoutMs }; // pg reads the last one and does not declare it
      await client.query(statement);
    });
    this.last = run.catch(() => {}); // the caller receives the error
    await run;
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.client) await this.giveUp(this.client, 0);
    clearTimeout(this.timer);
  }

  private pingLater(client: pg.Client): void {
    this.timer = setTimeout(() => {
      this.query('SELECT 1', [], PING_TIMEOUT_MS).then(
        () => this.client === client && this.pingLater(client),
        () => this.giveUp(client, 0),
      );
    }, PING_EVERY_MS);
  }

  /** Ends a connection, and makes another one unless this one is closed for good. */
  private async giveUp(client: pg.Client, retryAfterMs: number): Promise<void> {
    if (this.client !== client) return;
    const { connected: wasConnected, socket } = this;
    this.client = null;
    this.connected = false;
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => void this.open(), retryAfterMs);
    client.removeAllListeners();
    client.on('error', () => {}); // a second error of a connection that is given up says nothing new
    if (wasConnected)
      await client.end().catch(() => {}); // it may be broken; then it is closed already
    else socket.destroy(); // an orderly end would wait for an answer to the connect
  }
}
