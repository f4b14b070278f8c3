import type { Socket } from 'node:net';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { Database } from './database.js';

const RECONNECT_AFTER_MS = 1_000;
/** A peer that vanished without a word (a failover, a firewall) is noticed by its silence: TCP alone would wait for hours. */
const PING_EVERY_MS = 2_000;
const PING_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;

type Listener = (payload: string) => void;

/**
 * PostgreSQL's LISTEN and NOTIFY, by which processes tell each other what to forget. One connection per process. While it is down nothing
 * arrives, so `connected` is false and listeners are called with an empty payload ("forget everything") when it is back.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  /** The connection in use or being made. */
  private client: pg.Client | null = null;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
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
    if (this.client) await this.giveUp(this.client);
    clearTimeout(this.timer);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.config.databaseUrl,
      application_name: 'notifications',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    this.client = client;
    client.on('error', () => void this.giveUp(client));
    client.on('end', () => void this.giveUp(client));
    client.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      if (this.client === client) this.log.warn({ err: error }, 'cannot listen for notifications, trying again');
      await this.giveUp(client);
    }
    if (this.client !== client) return; // lost or stopped meanwhile
    this.connected = true;
    this.pingLater(client);
    for (const channel of this.listeners.keys()) this.deliver(channel, '');
  }

  private pingLater(client: pg.Client): void {
    this.timer = setTimeout(() => {
      const ping = { text: 'SELECT 1', query_timeout: PING_TIMEOUT_MS };
      client.query(ping).then(
        () => this.client === client && this.pingLater(client),
        () => this.giveUp(client),
      );
    }, PING_EVERY_MS);
  }

  /** Ends a connection, and makes another one unless that is done or the process stops. */
  private async giveUp(client: pg.Client): Promise<void> {
    if (this.client !== client) return;
    const wasConnected = this.connected;
    this.client = null;
    this.connected = false;
    clearTimeout(this.timer);
    if (!this.stopped) this.timer = setTimeout(() => void this.connect(), RECONNECT_AFTER_MS);
    client.removeAllListeners();
    client.on('error', () => {}); // a second error of a connection that is given up says nothing new
    if (wasConnected)
      await client.end().catch(() => {}); // it may be broken; then it is closed already
    else streamOf(client).destroy(); // an orderly end would wait for an answer to the connect
  }

  private deliver(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        this.log.error({ err: error, channel }, 'a listener failed');
      }
    }
  }
}

/** pg keeps its socket here and does not declare it. */
const streamOf = (client: pg.Client): Socket => (client as unknown as { connection: { stream: Socket } }).connection.stream;
