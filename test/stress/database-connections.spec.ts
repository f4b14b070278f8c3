import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../src/shared/database/index.js';
import { DatabaseServers, PrimaryClient } from '../../src/shared/database/primary-client.js';
import { StandingConnection } from '../../src/shared/database/standing-connection.js';
import { startTestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

it('a connection that breaks during its use, also the first one, does not end the process', async () => {
  const { log, lines } = capturedLog('debug');
  const process = await startTestContext({ log });
  const { pool } = process.get(Database);
  const clients = [await pool.connect(), await pool.connect()]; // the one that was made at the start, and a new one
  await process.get(Database).query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = ''`,
  );
  await eventually(() => lines.filter(({ msg }) => msg === 'lost a database connection').length >= clients.length);
  for (const client of clients) client.release(true);
  await process.close();
});

describe('a server of several that refuses further connections', () => {
  /** A role that may have two connections to a database of its own, named with a server that does not answer. */
  async function aRole() {
    const database = await createTestDatabase({ empty: true });
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const name = `role_${randomUUID().replaceAll('-', '')}`;
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret' CONNECTION LIMIT 2`);
    const { host, pathname } = new URL(database.url);
    const url = `postgres://${name}:secret@127.0.0.1:1,${host}${pathname}`;
    return {
      url,
      change: async (change: string) => await admin.query(`ALTER ROLE ${name} ${change}`),
      terminate: async (applicationName: string) =>
        await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND application_name = $2', [
          name,
          applicationName,
        ]),
      drop: async () => {
        await admin.query(`DROP ROLE ${name}`);
        await admin.end();
        await database.drop();
      },
    };
  }

  const clientOf = (url: string) => new PrimaryClient(DatabaseServers.of(url).clientOptions);

  it.each([
    ['because too many are open', 'CONNECTION LIMIT 1', 'CONNECTION LIMIT 2'],
    ['because its password was changed', `PASSWORD 'another'`, `PASSWORD 'secret'`],
  ])('%s keeps those that are in use', async (_, refuse, permit) => {
    const role = await aRole();
    const inUse = clientOf(role.url);
    await inUse.connect();
    const failures: unknown[] = [];
    const standing = new StandingConnection({
      databaseUrl: role.url,
      applicationName: 'standing',
      prepare: async () => {},
      failed: (error) => failures.push(error),
    });
    await standing.open();
    await role.change(refuse);
    await role.terminate('standing');
    await eventually(() => failures.length >= 2);
    expect((await inUse.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await role.change(permit);
    await eventually(() => standing.connected);
    await standing.close();
    await inUse.end();
    await role.drop();
  });

  it('is still known as the one that accepts writes', async () => {
    const role = await aRole();
    const clients = [clientOf(role.url), clientOf(role.url)] as const;
    for (const client of clients) await client.connect();
    for (let attempt = 0; attempt < 2; attempt += 1) await expect(clientOf(role.url).connect()).rejects.toMatchObject({ code: '53300' });
    const ended = clients.map(async (client) => await once(client, 'end'));
    for (const client of clients) await client.end();
    await Promise.all(ended);
    await role.drop();
  });
});
