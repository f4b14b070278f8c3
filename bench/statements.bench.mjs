// How many SQL statements does an authorize + exchange pair send, one at a time and 32 at a time?

import { measurePairs, pairsQuery } from './support/pairs.mjs';
import { startService } from './support/processes.mjs';
import { declareBenchClients, inContext } from './support/provision.mjs';
import { signIn } from './support/sign-in.mjs';

export async function run() {
  const service = await startService({ WORKER: 'off' });
  try {
    await declareBenchClients(service);
    const cookie = await signIn(service, pairsQuery);
    const target = { url: service.url, authorize: '/v4/authorize', token: '/v4/token', cookie };
    const lines = [];
    for (const connections of [1, 32]) {
      const before = await countStatements(service);
      const { pairs } = await measurePairs(target, { connections, seconds: 3, warmUp: 0 });
      const statements = (await countStatements(service)) - before;
      lines.push({ name: `SQL statements per pair, ${connections} at a time`, note: (statements / pairs).toFixed(2) });
    }
    return lines;
  } finally {
    await service.stop();
  }
}

/** Statements that the server has executed in this database, from its count of commits (each of ours is a separate transaction). */
async function countStatements(service) {
  return await inContext(service, async (context, { load }) => {
    const { Database } = await load('shared/database/index.js');
    const { pool } = context.get(Database);
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query('SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()');
    return Number(rows[0].commits);
  });
}
