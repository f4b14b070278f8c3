import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { serverUrls } from '../config/index.js';
import { SharedWork } from '../shared-work.js';

/** How long a server may take to report whether it accepts writes. */
const PROBE_TIMEOUT_MS = 3_000;
/** The pause after a search that found no writable server. */
const PAUSE_MS = 250;
const DEFAULT_PORT = 5_432;
/** SQLSTATEs: write on a read-only server; no connection could be established. */
const READ_ONLY = '25006';
const NO_CONNECTION = '08001';
/** PostgreSQL reports these settings when a connection starts and when they change; they identify a standby, and a primary that was fenced. */
const READ_ONLY_SETTINGS = new Set(['in_hot_standby', 'default_transaction_read_only']);

/**
 * SQLSTATE classes and codes with which a working server refuses a connection: bad credentials, unknown database, missing privilege, no
 * connection left. They do not mean that it has vanished or is no longer the primary.
 */
const REFUSALS = /^(28...|3D000|42501|53...)$/;

/** Whether a working server has refused a connection; with several servers, whether any of them did. */
export const isRefusal = (error: unknown): boolean => [error, (error as Error | null)?.cause].some((one) => REFUSALS.test(codeOf(one)));

/** Whether a connection or statement failed because the server is read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether a server did not answer in time, so that every further attempt would wait as long. */
export const isSilence = (error: unknown): boolean =>
  SILENT_CODES.has(codeOf(error)) || /^(timeout expired|Query read timeout)/.test((error as Error | null)?.message ?? '');

const SILENT_CODES = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** The servers of a DATABASE_URL, of which one at a time accepts writes. */
export class DatabaseServers {
  private static readonly known = new Map<string, DatabaseServers>();
  private readonly urls: readonly string[];
  /** The server that last accepted writes; null if unknown. */
  private primary: string | null = null;
  private readonly search = new SharedWork<string>();
  private readonly clients = new Set<PrimaryClient>();
  /** Whether no server answers, as the last attempt of a standing connection has shown. Other connections then fail at once. */
  isSilent = false;

  private constructor(databaseUrl: string) {
    this.urls = serverUrls(databaseUrl);
  }

  /** The servers of a URL; all connections of this process share the instance. */
  static of(databaseUrl: string): DatabaseServers {
    const servers = DatabaseServers.known.get(databaseUrl) ?? new DatabaseServers(databaseUrl);
    DatabaseServers.known.set(databaseUrl, servers);
    return servers;
  }

  /**
   * The options of a PrimaryClient, which a pool also accepts. The URL of one server supplies user, password, database and TLS settings.
   */
  get clientOptions(): PrimaryClientOptions & { readonly connectionString: string } {
    return { connectionString: this.urls[0] ?? '', servers: this };
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  /**
   * The URL of the server that accepts writes; throws if no server does. A single server is not probed, because its connections show
   * whether it does.
   */
  async findPrimary(): Promise<string> {
    if (!this.areSeveral) return this.clientOptions.connectionString;
    if (this.primary) return this.primary;
    this.primary = await this.search.get(async () => await this.askAll());
    return this.primary;
  }

  /** Makes the next connection probe all servers again. */
  forgetPrimary(): void {
    this.primary = null;
  }

  /**
   * Breaks the connections that were started before a moment (performance.now), because their server is gone and calls would wait for responses.
   */
  abandonConnections(startedBefore: number): void {
    for (const client of this.clients) if (client.startedAt < startedBefore) client.abandon();
  }

  /** Records that no server answers: connections that are being established, and further ones, fail at once. A standing connection tries again. */
  noteSilence(): void {
    this.isSilent = true;
    for (const client of this.clients) if (!client.isReady) client.abandon();
  }

  /** Records that a server answers, or that no standing connection tries any more. */
  noteAnswer(): void {
    this.isSilent = false;
  }

  add(client: PrimaryClient): void {
    this.clients.add(client);
  }

  delete(client: PrimaryClient): void {
    this.clients.delete(client);
  }

  /** Probes all servers simultaneously, because one that has vanished would delay the others. */
  private async askAll(): Promise<string> {
    return await Promise.any(this.urls.map(probe)).catch(async ({ errors }: AggregateError) => {
      await setTimeout(PAUSE_MS); // otherwise requests would probe all the time and disturb a server that is being promoted
      const reasons = this.urls.map((url, index) => `${new URL(url).host}: ${(errors[index] as Error).message}`);
      const code = errors.every(isReadOnly) ? READ_ONLY : NO_CONNECTION;
      const cause: unknown = errors.find(isRefusal);
      throw Object.assign(new Error(`No server of DATABASE_URL accepts writes. ${reasons.join('; ')}`, cause ? { cause } : {}), { code });
    });
  }
}

/** Returns the URL if its server accepts writes; otherwise throws. */
async function probe(url: string): Promise<string> {
  const client = new PrimaryClient({ ...DatabaseServers.of(url).clientOptions, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on('error', () => {}); // the result has arrived, or connect() reports the error
  await client.connect();
  client.end().catch(() => {});
  return url;
}

export interface PrimaryClientOptions extends pg.ClientConfig {
  readonly servers: DatabaseServers;
  /** Whether the connection is also attempted while the servers are known not to answer. */
  readonly probes?: boolean;
}

/** A message of the PostgreSQL protocol. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * A connection to the server that accepts writes (libpq's target_session_attrs=read-write, which node-postgres lacks). On a read-only
 * server it fails to connect, and it breaks when its server becomes read-only, so that its user connects to the new primary.
 */
export class PrimaryClient extends pg.Client {
  readonly startedAt = performance.now();
  private readonly servers: DatabaseServers;
  private readonly readOnlySettings = new Set<string>();
  private readonly probes: boolean;
  isReady = false;
  private isAbandoned = false;

  constructor(options: PrimaryClientOptions) {
    super(options);
    this.servers = options.servers;
    this.probes = options.probes ?? false;
    this.on('error', () => {}); // a pool listens only after connect() has finished; an earlier error event would end the process
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
    // Outside the promise, which would swallow errors thrown by the callback.
    connected.then(
      () => process.nextTick(answer, null, this),
      (error: unknown) => process.nextTick(answer, error),
    );
    return undefined;
  }

  /** Breaks the connection immediately; its user is notified as for any other lost connection. */
  abandon(): void {
    this.isAbandoned = true;
    this.socket.stream.destroy();
  }

  private async connectToPrimary(): Promise<pg.Client> {
    if (this.servers.isSilent && !this.probes) throw noAnswer();
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

const noAnswer = () => Object.assign(new Error('PostgreSQL does not answer at the moment.'), { code: NO_CONNECTION });

const readOnly = (settings: readonly string[]) =>
  Object.assign(new Error(`The server is read-only (${settings.join(', ')}).`), { code: READ_ONLY });
