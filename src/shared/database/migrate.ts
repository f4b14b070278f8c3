import { setTimeout } from 'node:timers/promises';
import { runMigrations as migrateJobs } from 'graphile-worker';
import pLimit from 'p-limit';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { StartupError } from '../errors.js';
import { connectionOptions, type Entities, type Migrations } from './connection.js';
import { DatabaseServers, PrimaryClient } from './primary-client.js';

const LOCK = `hashtextextended('migrations', 0)`;

/** How often a migration is attempted that does not get a lock within its `lock_timeout`; most transactions end within a minute. */
const LOCK_ATTEMPTS = 6;
/** Lets statements run that were queued behind the migration. */
const LOCK_PAUSE_MS = 5_000;
/** SQLSTATEs of a migration that others keep from a lock: lock_not_available, and deadlock_detected, in which PostgreSQL ended the migration. */
const LOCKED: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/**
 * Migrates the database to this version's schema, including graphile-worker's. Of processes that start together, one migrates and the rest wait.
 * @throws StartupError if the database cannot be reached, or another transaction keeps a table locked
 */
export async function migrate(databaseUrl: string, migrations: Migrations): Promise<void> {
  await locked(databaseUrl, async () => {
    await withDataSource({ databaseUrl, migrations }, async (source) => {
      await retryWhileLocked(async () => void (await source.runMigrations({ transaction: 'each' })));
    });
    await migrateJobs({ connectionString: await DatabaseServers.of(databaseUrl).findPrimary() });
  });
}

/** Reverts the newest migration. */
export async function revertLast(databaseUrl: string, migrations: Migrations): Promise<void> {
  await locked(databaseUrl, async () => {
    await withDataSource({ databaseUrl, migrations }, async (source) => await source.undoLastMigration({ transaction: 'each' }));
  });
}

/**
 * Repeats work that does not get a lock in time. Committed migrations are not repeated.
 * @throws StartupError with what the operator can do, after LOCK_ATTEMPTS
 */
export async function retryWhileLocked(work: () => Promise<void>, pause = async () => await setTimeout(LOCK_PAUSE_MS)): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!LOCKED.has((error as { code?: unknown } | null)?.code)) throw error;
      if (attempt === LOCK_ATTEMPTS) throw new StartupError(lockedFor(error), { cause: error });
      await pause();
    }
  }
}

const lockedFor = (error: unknown): string =>
  `A migration did not get a lock in ${LOCK_ATTEMPTS} attempts (${(error as Error).message}), because a long transaction uses the table. ` +
  'Find it with "SELECT pid, xact_start, application_name FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL ' +
  'ORDER BY xact_start", wait for its end or end it with "SELECT pg_terminate_backend(pid)", and start again.';

async function withDataSource(
  { databaseUrl, migrations }: { databaseUrl: string; migrations: Migrations },
  work: (source: DataSource) => Promise<void>,
): Promise<void> {
  const source = await new DataSource({ ...connectionOptions(databaseUrl), migrations }).initialize();
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}

async function locked(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new PrimaryClient({ ...DatabaseServers.of(databaseUrl).clientOptions, application_name: 'migrations' });
  await client.connect().catch((error: Error) => {
    throw new StartupError(
      `The database does not answer: ${error.message || error}. Check DATABASE_URL and whether PostgreSQL is running.`,
    );
  });
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`);
    await work();
  } finally {
    await client.end(); // closing the connection releases the lock
  }
}

export interface Drift {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** The statements that would change a migrated database to what the entities declare; none if migrations and entities agree. */
export async function describeDrift(databaseUrl: string, entities: Entities): Promise<Drift> {
  const options = connectionOptions(databaseUrl);
  const source = await new DataSource({ ...options, extra: { ...options.extra, Client: SequentialClient }, entities }).initialize();
  try {
    const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
    return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query).reverse() };
  } finally {
    await source.destroy();
  }
}

/** TypeORM's schema builder sends statements concurrently on one connection, which pg deprecates; this client runs them one after another. */
class SequentialClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super(options);
    const limit = pLimit(1);
    const query = this.query.bind(this) as (...statement: unknown[]) => Promise<unknown>;
    this.query = (async (...statement: unknown[]) => await limit(async () => await query(...statement))) as typeof this.query;
  }
}
