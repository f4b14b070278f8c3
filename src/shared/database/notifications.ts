import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { Database } from './database.js';
import { StandingConnection } from './standing-connection.js';

type Listener = (payload: string) => void;

/**
 * PostgreSQL's LISTEN and NOTIFY, by which processes notify each other of changes. One connection per process. While it is down, nothing
 * arrives: `connected` is false, and after reconnecting, listeners are called with an empty payload ("everything may have changed").
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly connection: StandingConnection;

  constructor(
    config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {
    this.connection = new StandingConnection({
      databaseUrl: config.databaseUrl,
      applicationName: 'notifications',
      prepare: async (connection) => {
        for (const channel of this.listeners.keys()) await connection.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      },
      connected: () => {
        for (const channel of this.listeners.keys()) this.deliver(channel, '');
      },
      notified: (channel, payload) => this.deliver(channel, payload),
      failed: (err) => log.warn({ err }, 'cannot listen for notifications, trying again'),
    });
  }

  /** Whether caches that rely on notifications may be used. */
  get connected(): boolean {
    return this.connection.connected;
  }

  /** Calls `listener` for every notification on the channel; register before the application starts. */
  listen(channel: string, listener: Listener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** Notifies every process, after the ambient transaction has committed. */
  async notify(channel: string, payload = ''): Promise<void> {
    await this.database.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  /** Notifies every process on every channel that everything may have changed, after the ambient transaction has committed. */
  async notifyOfEverything(): Promise<void> {
    for (const channel of this.listeners.keys()) await this.notify(channel);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connection.open();
  }

  /** Runs before the connection pool closes (onApplicationShutdown). */
  async beforeApplicationShutdown(): Promise<void> {
    await this.connection.close();
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
