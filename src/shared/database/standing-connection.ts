import pg from 'pg';
import { WorkInTurn } from '../shared-work.js';
import { DatabaseServers, isRefusal, isSilence, PrimaryClient } from './primary-client.js';

/** Together with the ping below, short enough that a process uses a new primary within 5 seconds. */
const CONNECT_TIMEOUT_MS = 3_000;
const QUERY_TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 1_000;
/** A missing ping reply reveals a peer that vanished without closing (failover, firewall): TCP alone would wait for hours. */
const PING_EVERY_MS = 1_000;
const PING_TIMEOUT_MS = 3_000;

/**
 * The start time of a server, which distinguishes it from others behind the same address, and whether processes may be about to move to it: it
 * started recently, or was a standby until it was promoted (PostgreSQL does not report when).
 */
const IDENTIFY_SERVER = `SELECT pg_postmaster_start_time()::text AS "startedAt",
  pg_postmaster_start_time() > now() - interval '5 seconds' OR pg_last_xact_replay_timestamp() IS NOT NULL AS "isNew"`;

interface ServerIdentity {
  readonly startedAt: string;
  readonly isNew: boolean;
}

export interface StandingConnectionOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  /** Runs first on every new connection, which counts as connected when this has finished. */
  prepare(connection: StandingConnection): Promise<void>;
  /**
   * Called whenever a connection is ready, including the first. `isOtherServer`: it leads to another server than the previous one, or to one
   * that restarted, so other processes may have lost their connections without noticing yet.
   */
  connected?(isOtherServer: boolean): void;
  notified?(channel: string, payload: string): void;
  failed(error: unknown): void;
}

/**
 * A connection outside the pool, for long-lived uses: LISTEN, advisory locks. It reconnects whenever it breaks, until it is closed.
 * It pings, so it is the first to notice that a server vanished, and then also breaks the pool's connections to that server.
 */
export class StandingConnection {
  /** The current connection, possibly still being established. */
  private client: PrimaryClient | null = null;
  /** The start time of the server of the last ready connection. */
  private lastServer: string | null = null;
  /** When the last connection was abandoned (performance.now). */
  private lostAt = 0;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  /** Statements run one after another. */
  private readonly statements = new WorkInTurn();
  /** Whether the connection is ready now. */
  connected = false;

  private readonly servers: DatabaseServers;

  constructor(private readonly options: StandingConnectionOptions) {
    this.servers = DatabaseServers.of(options.databaseUrl);
  }

  /** Connects. If that fails, it keeps trying in the background, and the call returns anyway. */
  async open(): Promise<void> {
    const names = { application_name: this.options.applicationName, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, probes: true };
    const client = new PrimaryClient({ ...this.servers.clientOptions, ...names });
    this.client = client;
    let isOtherServer = false;
    client.on('error', () => void this.giveUp(client));
    client.on('end', () => void this.giveUp(client));
    client.on('notification', ({ channel, payload }) => this.options.notified?.(channel, payload ?? ''));
    try {
      await client.connect();
      this.servers.noteAnswer();
      const [server = { startedAt: '', isNew: true }] = await this.query<ServerIdentity>(IDENTIFY_SERVER, [], PING_TIMEOUT_MS);
      await this.options.prepare(this);
      isOtherServer = this.lastServer === null ? server.isNew : this.lastServer !== server.startedAt;
      if (this.client === client) this.lastServer = server.startedAt;
    } catch (error) {
      const isServerThere = isRefusal(error);
      if (isServerThere) this.servers.noteAnswer();
      else if (this.client === client && isSilence(error)) this.servers.noteSilence();
      // A server that does not respond even with an error has vanished, and connections to it would wait for TCP timeouts.
      if (!isServerThere && !(error instanceof pg.DatabaseError)) this.servers.abandonConnections(this.lostAt);
      if (this.client === client) this.options.failed(error);
      await this.giveUp(client, { retryAfterMs: RETRY_AFTER_MS, isServerThere });
    }
    if (this.client !== client) return; // lost or closed in the meantime
    this.connected = true;
    this.pingLater(client);
    if (isOtherServer) this.servers.abandonConnections(this.lostAt);
    this.options.connected?.(isOtherServer);
  }

  /** Runs a statement. Rejects while there is no connection, or if the response takes longer than `timeoutMs` (default: 10 seconds). */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = [], timeoutMs = QUERY_TIMEOUT_MS): Promise<Row[]> {
    const { client } = this;
    return await this.statements.run(async () => {
      if (!client || this.client !== client) throw new Error('There is no connection.');
      const statement = { text, values: [...values], query_timeout: timeoutMs }; // pg supports query_timeout but does not declare it
      return (await client.query<Row>(statement)).rows;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.servers.noteAnswer();
    if (this.client) await this.giveUp(this.client);
    clearTimeout(this.timer);
  }

  private pingLater(client: PrimaryClient): void {
    this.timer = setTimeout(() => {
      this.query('SELECT 1', [], PING_TIMEOUT_MS).then(
        () => this.client === client && this.pingLater(client),
        () => this.giveUp(client),
      );
    }, PING_EVERY_MS);
  }

  /** Ends a connection, and opens another one unless this object is closed. */
  private async giveUp(client: PrimaryClient, { retryAfterMs = 0, isServerThere = false } = {}): Promise<void> {
    if (this.client !== client) return;
    const { connected: wasConnected } = this;
    this.client = null;
    this.connected = false;
    if (wasConnected) this.lostAt = performance.now();
    if (!isServerThere) this.servers.forgetPrimary();
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => void this.open(), retryAfterMs);
    client.removeAllListeners();
    client.on('error', () => {}); // further errors of an abandoned connection add no information
    if (wasConnected)
      await client.end().catch(() => {}); // a broken connection is already closed
    else client.abandon(); // a regular end would wait until the connection is established
  }
}
