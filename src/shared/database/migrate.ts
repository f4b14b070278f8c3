import { runMigrations as migrateJobs } from 'graphile-worker';
import pLimit from 'p-limit';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { StartupError } from '../errors.js';
import { connectionOptions, type Entities } from './connection.js';
import { DatabaseServers, PrimaryClient } from './primary-client.js';

const LOCK = `hashtextextended('migrations', 0)`;

/**
 * Brings the database to this version's schema: our migrations and graphile-worker's. Processes that start at the same time wait for one.
 * @throws StartupError when the database cannot be reached
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await locked(databaseUrl, async () => {
    await withDataSource(databaseUrl, async (source) => {
      await source.runMigrations({ transaction: 'each' });
    });
    await migrateJobs({ connectionString: await DatabaseServers.of(databaseUrl).findPrimary() });
  });
}

/** Takes the newest migration back. */
export async function revertLast(databaseUrl: string): Promise<void> {
  await locked(databaseUrl, async () => {
    await withDataSource(databaseUrl, async (source) => await source.undoLastMigration({ transaction: 'each' }));
  });
}

async function withDataSource(url: string, work: (source: DataSource) => Promise<void>): Promise<void> {
  const source = await new DataSource({ ...connectionOptions(url), migrations }).initialize();
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}

async function locked(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new PrimaryClient({ ...DatabaseServers.of(databaseUrl).clientOptions, application_name: 'migrations' });
  await client.connect().catch((error: Error) => {
    throw new StartupError(`The database does not answer: ${error.message || error}. Check DATABASE_URL and that PostgreSQL runs.`);
  });
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`);
    await work();
  } finally {
    await client.end(); // the lock goes with the connection
  }
}

export interface Drift {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** The statements that would bring a migrated database to what the entities declare; none when migrations and entities agree. */
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

/** TypeORM's schema builder sends statements at once on one connection, which pg warns of and will refuse; here they wait for each other. */
class SequentialClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super(options);
    const limit = pLimit(1);
    const query = this.query.bind(this) as (...statement: unknown[]) => Promise<unknown>;
    this.query = (async (...statement: unknown[]) => await limit(async () => await query(...statement))) as typeof this.query;
  }
}
