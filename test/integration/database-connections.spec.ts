import { it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { capturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { startTestContext } from '../support/test-context.js';

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
