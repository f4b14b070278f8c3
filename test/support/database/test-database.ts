import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { loseField } from './lost-field.js';

const TEMPLATE = 'test_template';

/** A database of a test file's own, cloned from the migrated template in about 0.1 s. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Clones the template; the first test file of a run makes it. `empty` starts without any table. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = options.empty ? 'template0' : await ensureTemplate();
  await admin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`));
  return {
    url: urlOf(name),
    drop: async () => {
      await admin((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** Test files run in parallel processes: an advisory lock lets one of them build the template. */
async function ensureTemplate(): Promise<string> {
  return await admin(async (client) => {
    await client.query('SELECT pg_advisory_lock(4711)');
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [TEMPLATE]);
    if (rowCount === 0) {
      await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
      const [{ migrate }, { migrations }] = await Promise.all([
        import('../../../src/shared/database/migrate.js'),
        import('../../../migrations/index.js'),
      ]);
      await migrate(urlOf(TEMPLATE), migrations);
      await loseFieldWhenAsked(urlOf(TEMPLATE));
      await client.query(`ALTER DATABASE ${TEMPLATE} IS_TEMPLATE true`);
    }
    await client.query('SELECT pg_advisory_unlock(4711)');
    return TEMPLATE;
  });
}

/** For scripts/prove-fields.mjs, which reads the line that this writes. */
async function loseFieldWhenAsked(url: string): Promise<void> {
  const field = process.env.TEST_LOSE_FIELD;
  if (!field) return;
  const words = await loseField(url, field);
  process.stderr.write(`Lost ${field}: ${words}\n`);
}

async function admin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: clusterUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(clusterUrl());
  url.pathname = `/${database}`;
  return url.href;
}

function clusterUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) throw new Error('TEST_POSTGRES_URL is missing: run the tests through npm test.');
  return url;
}
