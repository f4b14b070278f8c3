import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { AddMediaSearchCreators1763900840000 } from '../../migrations/1763900840000-AddMediaSearchCreators.js';
import { CanonicalEmails1763902000000 } from '../../migrations/1763902000000-CanonicalEmails.js';
import { CreateAccountLinks1764400000000 } from '../../migrations/1764400000000-CreateAccountLinks.js';
import { migrations } from '../../migrations/index.js';
import { entities } from '../../src/entities.js';
import { Argon2PasswordHasher } from '../../src/modules/accounts/argon2-password-hasher.adapter.js';
import { connectionOptions } from '../../src/shared/database/connection.js';
import { describeDrift, migrate, retryWhileLocked, revertLast } from '../../src/shared/database/migrate.js';
import { StartupError } from '../../src/shared/errors.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

/** Everything of the schema `public` that a migration can make, one line each. */
const SCHEMA = `
  SELECT format('table %s (%s)', relname, relpersistence) AS line
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  UNION ALL
  SELECT format('column %s.%s %s null %s default %s identity %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid), a.attidentity)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT format('other %s %s', relkind, relname) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'p', 'i')
  UNION ALL
  SELECT format('function %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT format('type %s', typname) FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
  UNION ALL
  SELECT format('trigger %s.%s', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal
    AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  ORDER BY 1`;

let database: TestDatabase;
afterEach(async () => await database.drop());

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the migrations', () => {
  beforeEach(async () => {
    database = await createTestDatabase({ empty: true });
  });

  const schema = async () => (await query<{ line: string }>(SCHEMA)).map(({ line }) => line);
  const ours = async () => (await schema()).filter((line) => !/\bmigrations(_pkey|_id_seq)?\b/.test(line));

  /** Runs the first `count` migrations only. */
  async function migrateFirst(count: number): Promise<void> {
    const source = await new DataSource({ ...connectionOptions(database.url), migrations: migrations.slice(0, count) }).initialize();
    await source.runMigrations({ transaction: 'each' }).finally(() => source.destroy());
  }

  it('can be reverted one by one, each to the previous schema, and run again with the same result', async () => {
    const steps: string[][] = [];
    for (let count = 0; count <= migrations.length; count += 1) {
      await migrateFirst(count);
      steps.push(await ours());
    }
    expect(steps[0]).toEqual([]);
    expect(steps.at(-1)?.length).toBeGreaterThan(100);
    for (let count = migrations.length - 1; count >= 0; count -= 1) {
      await revertLast(database.url, migrations);
      expect(await ours()).toEqual(steps[count]);
    }
    expect(await query('SELECT * FROM migrations')).toEqual([]);
    await migrate(database.url, migrations);
    expect(await ours()).toEqual(steps.at(-1));
  });

  it('leave the passwords of before as they are, however short', async () => {
    await migrateFirst(migrations.indexOf(CreateAccountLinks1764400000000));
    await query("INSERT INTO customers (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'Acme')");
    const passwordHash = await new Argon2PasswordHasher().hash('x');
    await query(
      `INSERT INTO users (email, customer_id, firstname, lastname, password_hash) VALUES ('ada@example.org', 1, 'A', 'B', '${passwordHash}')`,
    );
    await migrate(database.url, migrations);
    const [user] = await query<{ password_hash: string }>('SELECT password_hash FROM users');
    expect(await new Argon2PasswordHasher().verify(user?.password_hash ?? '', 'x')).toBe(true);
  });

  it('do nothing when run again', async () => {
    await migrate(database.url, migrations);
    const before = await schema();
    await migrate(database.url, migrations);
    expect(await schema()).toEqual(before);
    expect(await query('SELECT * FROM migrations')).toHaveLength(migrations.length);
  });

  it('are run by one of the processes that start at the same time, while the others wait', async () => {
    await Promise.all(Array.from({ length: 4 }, async () => await migrate(database.url, migrations)));
    expect(await query('SELECT * FROM migrations')).toHaveLength(migrations.length);
    expect(await query(`SELECT FROM pg_namespace WHERE nspname = 'graphile_worker'`)).toHaveLength(1);
  });

  it('fill in the creators of the search entries of existing media, and enter new media with and without files', async () => {
    const insertMedia = async (name: string) =>
      await query(`WITH container AS (INSERT INTO media_containers (customer_id, creator_id, type, name) VALUES (1, 2, 'video', '${name}') RETURNING id)
        INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, bucket, s3_key)
          SELECT id, 1, 'video', '${name}', 'mov', 5, 'media', '${name}' FROM container`);
    await migrateFirst(migrations.indexOf(AddMediaSearchCreators1763900840000));
    await query(`INSERT INTO customers (name) VALUES ('one')`);
    await query(`INSERT INTO users (customer_id, email) VALUES (1, 'one@mail.example'), (1, 'two@mail.example')`);
    await insertMedia('before');
    await migrate(database.url, migrations);
    await insertMedia('after');
    await query(`INSERT INTO media_containers (customer_id, creator_id, type, name) VALUES (1, 1, 'video', 'alone')`);
    const entries = `SELECT convert_from(name_key, 'UTF8') AS name, creator_id AS creator, extension FROM media_search_entries ORDER BY media_container_id`;
    expect(await query(entries)).toEqual([
      { name: 'before', creator: 2, extension: 'mov' },
      { name: 'after', creator: 2, extension: 'mov' },
      { name: 'alone', creator: 1, extension: null },
    ]);
  });

  it('report a database that does not answer, without its password', async () => {
    const url = new URL(database.url);
    url.password = 'a-wrong-password';
    const refused = migrate(url.href, migrations);
    await expect(refused).rejects.toBeInstanceOf(StartupError);
    await expect(refused).rejects.toThrow(/DATABASE_URL/);
    await expect(refused).rejects.not.toThrow(/a-wrong-password/);
    await expect(migrate('postgres://nobody:secret@127.0.0.1:1/none', migrations)).rejects.toBeInstanceOf(StartupError);
  });
});

describe('a migrated database', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
  });

  it('matches the entities without drift', async () => {
    expect(await describeDrift(database.url, entities)).toEqual({ up: [], down: [] });
  });

  it('is waited for if another transaction keeps a table locked, and the operator is told how to find that transaction', async () => {
    const source = await new DataSource(connectionOptions(database.url)).initialize();
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE formats');
      let attempts = 0;
      const work = async () => {
        attempts += 1;
        await source.query(`SELECT set_config('lock_timeout', '1ms', false)`);
        await source.query('SELECT FROM formats');
      };
      await expect(retryWhileLocked(work, async () => {})).rejects.toThrow(/in 6 attempts \(.*lock timeout.*pg_stat_activity/);
      await retryWhileLocked(work, async () => void (attempts === 8 && (await holder.query('ROLLBACK'))));
      expect(attempts).toBe(9);
      const refused = retryWhileLocked(async () => await Promise.reject(new Error('another reason')));
      await expect(refused).rejects.toThrow('another reason');
    } finally {
      await holder.end();
      await source.destroy();
    }
  });

  it('gives international e-mail addresses the spelling by which they are compared, unless another user has it', async () => {
    const insert = (email: string) => `INSERT INTO users (email, customer_id, firstname, lastname) VALUES ('${email}', 1, 'A', 'B')`;
    await query("INSERT INTO customers (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'Acme')");
    for (const email of ['ada@example.org', 'jörg@exämple.test', 'jo\u0308rg@exa\u0308mple.test']) await query(insert(email));
    const source = new DataSource({ ...connectionOptions(database.url), entities: [], migrations: [] });
    await source.initialize();
    const runner = source.createQueryRunner();
    await new CanonicalEmails1763902000000().up(runner);
    await runner.release();
    await source.destroy();
    const found = await query<{ email: string }>('SELECT email FROM users ORDER BY id');
    expect(found.map(({ email }) => email)).toEqual(['ada@example.org', 'jörg@xn--exmple-cua.test', 'jo\u0308rg@exa\u0308mple.test']);
  });

  it.each([
    ['a missing column', 'ALTER TABLE users DROP COLUMN kind CASCADE', /ALTER TABLE "users" ADD "kind" text NOT NULL DEFAULT 'person'/],
    ['a missing index', 'DROP INDEX oidc_records_uid_idx', /CREATE INDEX "oidc_records_uid_idx"/],
    ['a missing unique index', 'DROP INDEX users_email_key', /CREATE UNIQUE INDEX "users_email_key"/],
    ['a missing foreign key', 'ALTER TABLE users DROP CONSTRAINT users_customer_id_fkey', /ADD CONSTRAINT "users_customer_id_fkey"/],
    ['a missing check', 'ALTER TABLE users DROP CONSTRAINT users_kind_check', /ADD CONSTRAINT "users_kind_check"/],
    ['a column that may be null', 'ALTER TABLE users ALTER COLUMN email DROP NOT NULL', /ALTER COLUMN "email" SET NOT NULL/],
    ['another default', 'ALTER TABLE users ALTER COLUMN admin_level SET DEFAULT 1', /ALTER COLUMN "admin_level" SET DEFAULT '0'/],
    ['a missing table', 'DROP TABLE revoked_tokens', /CREATE TABLE "revoked_tokens"/],
  ])('detects %s', async (_name, damage, mend) => {
    await query(damage);
    const { up } = await describeDrift(database.url, entities);
    expect(up.join('\n')).toMatch(mend);
  });
});
