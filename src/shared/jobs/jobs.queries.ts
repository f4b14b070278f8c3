import { MAX_COUNTED_ROWS } from '../database/index.js';

/** Raw SQL, because graphile-worker provides its queue as PostgreSQL functions: a job that is added in a transaction is part of it. */
export const ADD_JOB = `SELECT graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4, max_attempts => $5, job_key => $6)`;

/** The application_name of the connection that holds the locks of a process's workers. */
export const PRESENCE = 'worker presence';

/** A worker locks its name when it is created, long before it has held a job for this time. */
const MIN_CLAIM_AGE = '2 seconds';

/** The workers that have claimed jobs. Raw SQL, because the table belongs to graphile-worker. */
export const LIST_JOB_WORKERS = `SELECT DISTINCT locked_by AS worker FROM graphile_worker._private_jobs
  WHERE locked_at < now() - interval '${MIN_CLAIM_AGE}'`;

/** Releases the jobs of these workers. Raw SQL for the reason of ADD_JOB. */
export const RELEASE_JOBS = 'SELECT graphile_worker.force_unlock_workers($1::text[])';

/**
 * The number of processes that run background jobs, by the connections that prove their workers alive. Raw SQL, because the table belongs to
 * PostgreSQL.
 */
export const COUNT_WORKER_PROCESSES = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = '${PRESENCE}'`;

/** Longer than a worker needs to restart. Uses PostgreSQL's clock, which also sets the times of jobs. */
export const WAITED_TOO_LONG = `now() - interval '1 minute'`;

/** Whether a job has been due for too long and no worker has claimed it. Raw SQL, because the table belongs to graphile-worker. */
export const HAS_WAITING_JOB = `SELECT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE is_available AND run_at < ${WAITED_TOO_LONG}) AS waits`;

/** The advisory lock with which a worker proves that it is alive: PostgreSQL releases it with the connection of a process that dies. */
export const LOCK_OF_WORKER = `hashtextextended('worker ' || $1, 0)`;

/** Raw SQL, like the next two, because TypeORM has no advisory locks. */
export const LOCK_WORKER = `SELECT pg_advisory_lock(${LOCK_OF_WORKER})`;

export const UNLOCK_WORKER = `SELECT pg_advisory_unlock(${LOCK_OF_WORKER})`;

/** Uses a shared lock, so that concurrent checks of two processes do not mistake each other for the worker. */
export const IS_WORKER_UNLOCKED = `SELECT pg_try_advisory_xact_lock_shared(${LOCK_OF_WORKER}) AS free`;

/** $1: now, $2: maximum number of rows. Raw SQL, because TypeORM can neither limit a DELETE nor skip rows that others have locked. */
export const deleteExpired = (table: string, condition: string): string =>
  `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`;

/** failed: its last attempt failed; graphile-worker keeps such a job. */
const STATE = `CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed' WHEN run_at > now() THEN 'waiting' ELSE 'ready' END`;

/**
 * The number of jobs in each state (DatabaseMetricsService). Raw SQL for the reason of LIST_JOB_WORKERS. The table has no index for this,
 * but it is small, because finished jobs are deleted.
 */
export const COUNT_JOBS = `SELECT 'jobs' AS queue, states.state, count(job.state)::int AS length,
    CASE states.state WHEN 'ready' THEN coalesce(extract(epoch FROM now() - min(job.run_at)), 0) END::float8 AS age
  FROM (VALUES ('ready'), ('waiting'), ('running'), ('failed')) AS states (state)
  LEFT JOIN (SELECT run_at, ${STATE} AS state FROM graphile_worker._private_jobs LIMIT ${MAX_COUNTED_ROWS}) AS job USING (state)
  GROUP BY states.state`;
