import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { type DataSourceOptions, DefaultNamingStrategy, type NamingStrategyInterface } from 'typeorm';
import { DatabaseServers, PrimaryClient } from './primary-client.js';

/** Entity classes, as TypeORM takes them. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

/** Migration classes, the oldest first. */
export type Migrations = NonNullable<DataSourceOptions['migrations']>;

const POOL_SIZE = 16; // on two cores, 16 connections commit about four times as much as 1; more would only wait (docs/performance.md)

/**
 * Maximum number of connections for transactions (see TransactionPlaces). The others are for single statements, graphile-worker's LISTEN,
 * and the locks of background jobs.
 */
export const MAX_TRANSACTIONS = 12;
/** How long a call waits for a connection from the pool. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** A statement that waits for a lock, or runs, longer than this fails with 503, so that one locked row cannot block a process. */
const STATEMENT_TIMEOUTS = '-c lock_timeout=10s -c statement_timeout=30s';

/** The options of the service's own connections; migrations have no such timeouts. */
export const serviceConnectionOptions = (url: string) => {
  const options = connectionOptions(url);
  return { ...options, extra: { ...options.extra, options: `${options.extra.options} ${STATEMENT_TIMEOUTS}` } };
};

/**
 * Lets TypeORM compare JSON documents whose members have any name: its own comparison calls `hasOwnProperty` of the document, which fails if the
 * document has a member of this name, and then the row could be neither changed nor deleted.
 */
export function compareAnyDocument(): void {
  const require = createRequire(import.meta.url);
  const { OrmUtils } = require('typeorm/util/OrmUtils.js') as { OrmUtils: { deepCompare(one: unknown, other: unknown): boolean } };
  OrmUtils.deepCompare = isDeepStrictEqual;
}

/**
 * The pg module, in the form of TypeORM's option `driver`. TypeORM creates the connection pool with it but does not expose the pool; this
 * driver keeps a reference for prepared statements and for libraries that bring their own SQL.
 */
export class PostgresDriver {
  readonly defaults = pg.defaults;
  /** TypeORM calls it as a constructor. */
  readonly Pool: new (
    options: pg.PoolConfig,
  ) => pg.Pool;
  private created: pg.Pool | null = null;

  constructor() {
    const remember = (pool: pg.Pool): void => {
      this.created = pool;
    };
    this.Pool = class extends pg.Pool {
      constructor(options: pg.PoolConfig) {
        super(options);
        remember(this);
      }
    };
  }

  get pool(): pg.Pool {
    if (!this.created) throw new Error('TypeORM has not connected yet.');
    return this.created;
  }
}

/** TypeORM's connection options: no synchronization (migrations only), snake_case names, UTC. */
export const connectionOptions = (url: string) => {
  const { connectionString, servers } = DatabaseServers.of(url).clientOptions;
  return {
    type: 'postgres',
    driver: new PostgresDriver(),
    url: connectionString,
    synchronize: false,
    migrationsRun: false,
    migrationsTableName: 'migrations',
    namingStrategy: new SnakeCaseNamingStrategy(),
    poolSize: POOL_SIZE,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { options: '-c timezone=UTC', keepAlive: true, Client: PrimaryClient, servers },
  } satisfies DataSourceOptions;
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? '_' : ''}${letter.toLowerCase()}`);

/** Names tables and columns in snake_case; an entity's decorator names its table. */
export class SnakeCaseNamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override tableName(className: string, customName: string | undefined): string {
    return customName ?? snakeCase(className);
  }

  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return [...prefixes.map(snakeCase), customName ?? snakeCase(propertyName)].join('_');
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return `${snakeCase(relationName)}_${snakeCase(referencedColumnName)}`;
  }
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Whether a statement failed because a referenced row does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === FOREIGN_KEY_VIOLATION;

/** Whether a statement failed because such a row already exists. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION;
