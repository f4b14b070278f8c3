import type { Database } from './database.js';

const LOCK = `hashtextextended($1, 0)`;

/**
 * Runs `work` in one process at a time, of all that use the database: by an advisory lock on a connection of its own, which PostgreSQL
 * drops with a process that dies. Null when another process is at it.
 */
export async function runExclusively<T>({ pool }: Database, name: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS locked`, [name]);
    if (!rows[0]?.locked) return null;
    try {
      return { result: await work() };
    } finally {
      // A connection that cannot give the lock back must not return to the pool with it.
      await client.query(`SELECT pg_advisory_unlock(${LOCK})`, [name]).catch((error: Error) => {
        broken = error;
      });
    }
  } finally {
    client.release(broken);
  }
}
