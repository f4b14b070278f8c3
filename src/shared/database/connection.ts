import pg from 'pg';
import { type DataSourceOptions, DefaultNamingStrategy, type NamingStrategyInterface } from 'typeorm';
import { DatabaseServers, PrimaryClient } from './primary-client.js';

/** Entity classes, as TypeORM takes them. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

const POOL_SIZE = 16; // 16 connections commit about four times as much as 1 on two cores; more only wait (docs/performance.md)

/**
 * How many of them transactions use at most (see TransactionPlaces). The others are for single statements, for the LISTEN of graphile-worker, and
 * for the locks of background jobs.
 */
export const MAX_TRANSACTIONS = 12;
/** How long a call waits for a connection of the pool. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** A statement that waits for a lock, or runs, longer than this fails with 503, so that one stuck row cannot hold up a process. */
const IMPATIENT = '-c lock_timeout=10s -c statement_timeout=30s';

/** How the service itself connects; migrations may take their time. */
export const serviceConnectionOptions = (url: string) => {
  const options = connectionOptions(url);
  return { ...options, extra: { ...options.extra, options: `${options.extra.options} ${IMPATIENT}` } };
};

/**
 * The pg module, as TypeORM's option `driver` takes it. TypeORM creates the connection pool with it and keeps the pool to itself; this driver
 * remembers the pool for prepared statements and for libraries that bring their own SQL.
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

/** How TypeORM connects: no synchronisation (migrations only), snake_case names, UTC. */
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

/** Tables and columns in snake_case; tables are named by their entity's decorator. */
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

/** Whether a statement failed because a row that it refers to is gone. */
export const isForeignKeyViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === FOREIGN_KEY_VIOLATION;

/** Whether a statement failed because a row is there already. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION;
