import { runMigrations as migrateJobs } from 'graphile-worker';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { StartupError } from '../errors/index.js';
import { connectionOptions } from './connection.js';

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
    await migrateJobs({ connectionString: databaseUrl });
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
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'migrations' });
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
