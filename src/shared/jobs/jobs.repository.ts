import { Injectable } from '@nestjs/common';
import { Database, DatabaseMetricsService, MAX_COUNTED_ROWS } from '../database/index.js';
import type { StandingConnection } from '../database/standing-connection.js';

/** The application_name of the connection that holds the locks of a process's workers. */
export const PRESENCE = 'worker presence';

/** A worker locks its name when it is created, long before it has held a job for this time. */
const MIN_CLAIM_AGE = '2 seconds';

/** Longer than a worker needs to restart. Uses PostgreSQL's clock, which also sets the times of jobs. */
export const WAITED_TOO_LONG = `now() - interval '1 minute'`;

/** The advisory lock with which a worker proves that it is alive: PostgreSQL releases it with the connection of a process that dies. */
export const LOCK_OF_WORKER = `hashtextextended('worker ' || $1, 0)`;

/** A job for graphile-worker. */
export interface NewJob {
  readonly task: string;
  readonly payload: object;
  readonly queue: string | null;
  readonly runAt: Date | null;
  readonly maxAttempts: number;
  readonly key: string | null;
  /** Whether a job with the same key stays as it is, also while it runs, and this one is not added. */
  readonly keepsExisting: boolean;
  readonly isUrgent: boolean;
}

/**
 * Background jobs, and the processes that run them. Raw SQL throughout: the tables and functions belong to graphile-worker and PostgreSQL, and
 * TypeORM has no advisory locks.
 */
@Injectable()
export class JobsRepository {
  constructor(
    private readonly database: Database,
    metrics: DatabaseMetricsService,
  ) {
    // failed: its last attempt failed; graphile-worker keeps such a job. The table has no index for this, but it is small, because finished
    // jobs are deleted.
    metrics.countQueues(`SELECT 'jobs' AS queue, states.state, count(job.state)::int AS length,
        CASE states.state WHEN 'ready' THEN coalesce(extract(epoch FROM now() - min(job.run_at)), 0) END::float8 AS age
      FROM (VALUES ('ready'), ('waiting'), ('running'), ('failed')) AS states (state)
      LEFT JOIN (
        SELECT run_at, CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed'
          WHEN run_at > now() THEN 'waiting' ELSE 'ready' END AS state
        FROM graphile_worker._private_jobs LIMIT ${MAX_COUNTED_ROWS}
      ) AS job USING (state)
      GROUP BY states.state`);
  }

  /** Adds a job, as part of the ambient transaction if there is one. */
  async add({ task, payload, queue, runAt, maxAttempts, key, keepsExisting, isUrgent }: NewJob): Promise<void> {
    await this.database.query(
      `SELECT graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4, max_attempts => $5, job_key => $6,
        job_key_mode => $7, priority => $8)`,
      [task, JSON.stringify(payload), queue, runAt, maxAttempts, key, keepsExisting ? 'unsafe_dedupe' : 'replace', isUrgent ? -1 : 0],
    );
  }

  /** Removes the jobs of a queue that no worker has claimed. */
  async removeWaiting(queue: string): Promise<void> {
    await this.database.query('SELECT graphile_worker.complete_jobs(array(SELECT id FROM graphile_worker.jobs WHERE queue_name = $1))', [
      queue,
    ]);
  }

  /**
   * Has the current attempt at a job not count, because something outside was away. When it fails, graphile-worker adds a delay that grows with the number
   * of attempts: the next one begins 11 to 18 seconds later, however often the job has failed in the outage.
   */
  async excuse(id: string): Promise<void> {
    await this.database.query(
      `UPDATE graphile_worker._private_jobs SET attempts = least(attempts - 1, max_attempts - 1, 2), run_at = now() + interval '10 seconds' WHERE id = $1`,
      [id],
    );
  }

  /**
   * Repeats failed jobs of scheduled tasks, because what they failed for may be over, and deletes those that a later job has replaced while they ran:
   * graphile-worker takes their key from them.
   */
  async settleFailed(tasks: readonly string[]): Promise<void> {
    const failed = `SELECT id FROM graphile_worker.jobs WHERE task_identifier = ANY($1) AND locked_at IS NULL AND attempts >= max_attempts`;
    await this.database.query(`SELECT graphile_worker.complete_jobs(array(${failed} AND key IS NULL))`, [tasks]);
    await this.database.query(
      `SELECT graphile_worker.reschedule_jobs(array(${failed} AND key IS NOT NULL), run_at => now(), attempts => 0)`,
      [tasks],
    );
  }

  /** Whether a job has been due for more than a minute and no worker has claimed it. */
  async hasWaitingJob(): Promise<boolean> {
    const row = await this.database.queryOne<{ waits: boolean }>(
      `SELECT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE is_available AND run_at < ${WAITED_TOO_LONG}) AS waits`,
    );
    return row?.waits === true;
  }

  /** The number of processes that run background jobs, on all machines: by the connections that prove their workers alive. */
  async countWorkerProcesses(): Promise<number> {
    const row = await this.database.queryOne<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${PRESENCE}'`,
    );
    return row?.count ?? 0;
  }

  /** The workers that have claimed jobs, dead or alive. */
  async listWorkers(): Promise<string[]> {
    const { rows } = await this.database.query<{ worker: string }>(
      `SELECT DISTINCT locked_by AS worker FROM graphile_worker._private_jobs WHERE locked_at < now() - interval '${MIN_CLAIM_AGE}'`,
    );
    return rows.map(({ worker }) => worker);
  }

  /** Releases the jobs of these workers. */
  async releaseJobsOf(workers: readonly string[]): Promise<void> {
    await this.database.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [workers]);
  }

  /** Acquires the lock of a worker on this connection. */
  async lockWorker(connection: StandingConnection, worker: string): Promise<void> {
    await connection.query(`SELECT pg_advisory_lock(${LOCK_OF_WORKER})`, [worker]);
  }

  /** Releases the lock of a worker on this connection. */
  async unlockWorker(connection: StandingConnection, worker: string): Promise<void> {
    await connection.query(`SELECT pg_advisory_unlock(${LOCK_OF_WORKER})`, [worker]);
  }

  /** Whether no connection has the lock of a worker. Tries a shared lock, so that concurrent checks of two processes do not mistake each other for it. */
  async isWorkerUnlocked(worker: string): Promise<boolean> {
    return await this.database.transaction(async () => {
      const row = await this.database.queryOne<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock_shared(${LOCK_OF_WORKER}) AS free`, [
        worker,
      ]);
      return row?.free === true;
    });
  }

  /** Deletes up to `limit` rows of a table for which `condition` (SQL with $1 = now) holds, and returns their number. Both must be constants. */
  async deleteExpired(table: string, condition: string, { now, limit }: { readonly now: Date; readonly limit: number }): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, limit],
    );
    return rowCount ?? 0;
  }
}
