import pg from 'pg';
import { serverUrls } from '../config/index.js';

/** How long a server may take to show whether it accepts writes. */
const PROBE_TIMEOUT_MS = 3_000;
/** After a search that found no server that accepts writes. */
const PAUSE_MS = 250;
const DEFAULT_PORT = 5_432;
/** SQLSTATEs: a statement was to write on a read-only server; no connection could be established. */
const READ_ONLY = '25006';
const NO_CONNECTION = '08001';
/** PostgreSQL reports these settings when a connection starts and whenever they change: a standby, and a primary that was fenced. */
const READ_ONLY_SETTINGS = new Set(['in_hot_standby', 'default_transaction_read_only']);

/**
 * SQLSTATE classes and codes with which a server refuses a connection although it works: bad credentials, an unknown database, no right to it, no
 * connection left. They do not say that it has vanished or is no longer the primary.
 */
const REFUSALS = /^(28...|3D000|42501|53...)$/;

/** Whether a server that works has refused a connection; of several servers, any. */
export const isRefusal = (error: unknown): boolean => [error, (error as Error | null)?.cause].some((one) => REFUSALS.test(codeOf(one)));

/** Whether a connection or statement failed because the server is read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** The servers of a DATABASE_URL. One of them at a time accepts writes. */
export class DatabaseServers {
  private static readonly known = new Map<string, DatabaseServers>();
  private readonly urls: readonly string[];
  /** The server that accepted writes last; null: unknown. */
  private primary: string | null = null;
  private search: Promise<string> | null = null;
  private readonly clients = new Set<PrimaryClient>();

  private constructor(databaseUrl: string) {
    this.urls = serverUrls(databaseUrl);
  }

  /** What is known about the servers of a URL, shared by all connections of this process. */
  static of(databaseUrl: string): DatabaseServers {
    const servers = DatabaseServers.known.get(databaseUrl) ?? new DatabaseServers(databaseUrl);
    DatabaseServers.known.set(databaseUrl, servers);
    return servers;
  }

  /**
   * The options of a PrimaryClient, which a pool accepts too. The URL is that of one server, and contains user, password, database and TLS.
   */
  get clientOptions(): PrimaryClientOptions & { readonly connectionString: string } {
    return { connectionString: this.urls[0] ?? '', servers: this };
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  /**
   * The URL of the server that accepts writes; throws if no server does. A single server is not asked, because its connections show whether
   * it does.
   */
  async findPrimary(): Promise<string> {
    if (!this.areSeveral) return this.clientOptions.connectionString;
    if (this.primary) return this.primary;
    this.search ??= this.askAll().then(
      (url) => {
        this.search = null;
        return url;
      },
      (error: unknown) => {
        // Requests would otherwise ask again at once, all the time, and disturb the server that is being promoted.
        setTimeout(() => {
          this.search = null;
        }, PAUSE_MS).unref();
        throw error;
      },
    );
    this.primary = await this.search;
    return this.primary;
  }

  /** The next connection asks all servers again. */
  forgetPrimary(): void {
    this.primary = null;
  }

  /**
   * Breaks the connections that were started before a moment (performance.now): their server is gone, and calls would wait for its answers.
   */
  abandonConnections(startedBefore: number): void {
    for (const client of this.clients) if (client.startedAt < startedBefore) client.abandon();
  }

  add(client: PrimaryClient): void {
    this.clients.add(client);
  }

  delete(client: PrimaryClient): void {
    this.clients.delete(client);
  }

  /** Asks all servers at the same time, because one that vanished would delay the others. */
  private async askAll(): Promise<string> {
    return await Promise.any(this.urls.map(probe)).catch(({ errors }: AggregateError) => {
      const reasons = this.urls.map((url, index) => `${new URL(url).host}: ${(errors[index] as Error).message}`);
      const code = errors.every(isReadOnly) ? READ_ONLY : NO_CONNECTION;
      const cause: unknown = errors.find(isRefusal);
      throw Object.assign(new Error(`No server of DATABASE_URL accepts writes. ${reasons.join('; ')}`, cause ? { cause } : {}), { code });
    });
  }
}

/** Returns the URL if its server accepts writes. */
async function probe(url: string): Promise<string> {
  const client = new PrimaryClient({ ...DatabaseServers.of(url).clientOptions, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on('error', () => {}); // it has answered, or connect() reports it
  await client.connect();
  client.end().catch(() => {});
  return url;
}

export interface PrimaryClientOptions extends pg.ClientConfig {
  readonly servers: DatabaseServers;
}

/** A message of pg's protocol. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * A connection to the server that accepts writes (libpq's target_session_attrs=read-write, which node-postgres does not have). On a read-only
 * server it fails to connect, and it breaks when its server becomes read-only, so that its user connects to the new primary.
 */
export class PrimaryClient extends pg.Client {
  readonly startedAt = performance.now();
  private readonly servers: DatabaseServers;
  private readonly readOnlySettings = new Set<string>();
  private isReady = false;
  private isAbandoned = false;

  constructor(options: PrimaryClientOptions) {
    super(options);
    this.servers = options.servers;
    this.on('error', () => {}); // a pool listens only after connect() has answered; an error before it would end the process
    this.socket.on('parameterStatus', (message: ParameterStatus) => this.noteSetting(message));
    this.socket.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.abandon();
    });
    this.socket.once('end', () => this.servers.delete(this));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | undefined {
    const connected = this.connectToPrimary();
    if (!callback) return connected;
    const answer = callback as (error: unknown, client?: pg.Client) => void;
    // Outside of the promise, which would keep what the callback throws.
    connected.then(
      () => process.nextTick(answer, null, this),
      (error: unknown) => process.nextTick(answer, error),
    );
    return undefined;
  }

  /** Breaks the connection at once; its user is notified as of any other lost connection. */
  abandon(): void {
    this.isAbandoned = true;
    this.socket.stream.destroy();
  }

  private async connectToPrimary(): Promise<pg.Client> {
    const url = await this.servers.findPrimary();
    if (this.isAbandoned) throw new Error('Connection terminated before it was established');
    if (this.servers.areSeveral) {
      const { hostname, port } = new URL(url);
      Object.assign(this, { host: decodeURIComponent(hostname.replace(/^\[|\]$/g, '')), port: Number(port || DEFAULT_PORT) });
    }
    this.servers.add(this);
    try {
      await super.connect();
      if (this.readOnlySettings.size > 0) throw readOnly([...this.readOnlySettings]);
    } catch (error) {
      if (!isRefusal(error)) this.servers.forgetPrimary();
      super.end().catch(() => {});
      throw error;
    }
    this.isReady = true;
    return this;
  }

  private noteSetting({ parameterName, parameterValue }: ParameterStatus): void {
    if (!READ_ONLY_SETTINGS.has(parameterName)) return;
    if (parameterValue === 'on') this.readOnlySettings.add(parameterName);
    else this.readOnlySettings.delete(parameterName);
    if (this.isReady && this.readOnlySettings.size > 0) this.abandon();
  }

  /** pg's connection below the client, which pg's types omit. */
  private get socket(): pg.Connection {
    return (this as unknown as { readonly connection: pg.Connection }).connection;
  }
}

const readOnly = (settings: readonly string[]) =>
  Object.assign(new Error(`The server is read-only (${settings.join(', ')}).`), { code: READ_ONLY });
