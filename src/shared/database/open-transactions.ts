import type { Database } from './database.js';

/** Identified by process id and start time. Transactions of other database roles are not visible. */
const LIST_OPEN = `SELECT pid, xact_start::text AS "startedAt" FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'`;

/** $1 and $2: the transactions that LIST_OPEN found. */
const IS_OPEN = `SELECT EXISTS (
    SELECT FROM unnest($1::int[], $2::timestamptz[]) AS known (pid, started_at)
    JOIN pg_stat_activity a ON a.pid = known.pid AND a.xact_start = known.started_at
  ) AS found`;

/** Returns a function that reports whether the transactions that are open now, in any process, have ended. */
export async function openTransactions(database: Database): Promise<{ haveEnded(): Promise<boolean> }> {
  const { rows } = await database.query<{ pid: number; startedAt: string }>(LIST_OPEN);
  const values = [rows.map(({ pid }) => pid), rows.map(({ startedAt }) => startedAt)];
  return { haveEnded: async () => !(await database.queryOne<{ found: boolean }>(IS_OPEN, values))?.found };
}
