import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { Database } from './database.js';

const RECONNECT_AFTER_MS = 1_000;

type Listener = (payload: string) => void;

/**
 * PostgreSQL's LISTEN and NOTIFY, by which processes tell each other what to forget. One connection per process. While it is down nothing
 * arrives, so `connected` is false and listeners are called with an empty payload ("forget everything") when it is back.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  private client: pg.Client | null = null;
  private stopped = false;
  private reconnecting: NodeJS.Timeout | undefined;
  /** Whether caches that rely on notifications may answer. */
  connected = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** Calls `listener` for every notification on the channel; register before the application starts. */
  on(channel: string, listener: Listener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** Tells every process, after the ambient transaction has committed. */
  async notify(channel: string, payload = ''): Promise<void> {
    await this.database.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  /** Before the connection pool closes (onApplicationShutdown). */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnecting);
    await this.client?.end();
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.config.databaseUrl, application_name: 'notifications', keepAlive: true });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      this.client = client;
      this.connected = true;
      for (const channel of this.listeners.keys()) this.deliver(channel, '');
    } catch (error) {
      this.log.warn({ err: error }, 'cannot listen for notifications, trying again');
      this.lost(client);
    }
  }

  private lost(client: pg.Client): void {
    client.removeAllListeners();
    client.on('error', () => {}); // a second error of a connection that is given up says nothing new
    this.connected = false;
    this.client = null;
    if (this.stopped) return;
    clearTimeout(this.reconnecting);
    this.reconnecting = setTimeout(() => void this.connect(), RECONNECT_AFTER_MS);
  }

  private deliver(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(payload);
  }
}
