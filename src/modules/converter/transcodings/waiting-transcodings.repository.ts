import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Database, DatabaseMetricsService, MAX_COUNTED_ROWS } from '../../../shared/database/index.js';
import { WORK_FOLDER } from '../tools/converter-worker.entity.js';
import { PRIORITIES, Transcoding } from './transcoding.entity.js';
import { CLAIMED_COLUMNS, type ClaimedTranscoding } from './transcodings.repository.js';

/** A transcoding that waits for programs that no worker has. */
export type UnavailableTranscoding = ClaimedTranscoding & {
  readonly programs: readonly string[];
  /** Its programs that no worker has; empty: no worker has all of its programs together. */
  readonly missing: readonly string[];
  /** Whether no worker may run programs. */
  readonly refused: boolean;
};

/** Leaves the operator time to install a program. */
export const UNAVAILABLE_AFTER_HOURS = 24;
const MAX_UNAVAILABLE = 1_000;
/** How long a transcoding may wait for a worker before this is reported as a problem: longer than a worker needs to start. */
const WAITING_TOO_LONG = '1 minute';
/** The number of rows that are read; transcodings that no worker can claim stay at the head of the queue. */
const MAX_HEAD = 1_000;

/**
 * Raw SQL, because arrays of programs are compared with those of all workers. Selects transcodings that have waited too long and need programs that
 * no worker has together; none while no worker is able to work.
 */
const UNAVAILABLE = `FROM transcoding_jobs j
  WHERE state = 'ready' AND ready_at < $1::timestamptz - interval '${UNAVAILABLE_AFTER_HOURS} hours'
    AND EXISTS (SELECT FROM converter_workers WHERE NOT tools ? '${WORK_FOLDER}')
    AND NOT EXISTS (SELECT FROM converter_workers w WHERE j.programs <@ w.programs)`;

/** Answers which transcodings wait, and for which programs. */
@Injectable()
export class WaitingTranscodingsRepository {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    metrics: DatabaseMetricsService,
  ) {
    // The length of the queue of each priority (DatabaseMetricsService). Raw SQL, because states without rows are counted too. It reads the
    // whole table: all of its rows are in a queue.
    metrics.countQueues(`SELECT queues.queue, states.state, count(job.state)::int AS length,
        CASE states.state WHEN 'ready' THEN coalesce(extract(epoch FROM now() - min(job.ready_at)), 0) END::float8 AS age
      FROM (VALUES ('previews', ${PRIORITIES.preview}), ('transcodings', ${PRIORITIES.transcoding})) AS queues (queue, priority)
      CROSS JOIN (VALUES ('ready'), ('waiting'), ('running')) AS states (state)
      LEFT JOIN (
        SELECT priority, ready_at, CASE WHEN state = 'ready' AND ready_at > now() THEN 'waiting' ELSE state END AS state
        FROM transcoding_jobs LIMIT ${MAX_COUNTED_ROWS}
      ) AS job USING (priority, state)
      GROUP BY queues.queue, states.state`);
  }

  /** Returns those of the transcodings that are waiting. */
  async findWaiting(ids: readonly string[]): Promise<Pick<Transcoding, 'id' | 'programs'>[]> {
    return await this.database
      .repository(Transcoding)
      .find({ select: { id: true, programs: true }, where: { id: In([...ids]), state: 'ready' } });
  }

  /** The ids of transcodings that have waited for a day for programs that no worker has. */
  async findUnavailable(): Promise<string[]> {
    // Raw SQL for the condition that UNAVAILABLE explains.
    const { rows } = await this.database.query<{ id: string }>(`SELECT id ${UNAVAILABLE} ORDER BY id LIMIT ${MAX_UNAVAILABLE}`, [
      this.clock.now(),
    ]);
    return rows.map(({ id }) => id);
  }

  /** The programs for which up to MAX_HEAD transcodings have waited for more than a minute, and the number of transcodings that wait for each set. */
  async listWaitingPrograms(): Promise<{ readonly programs: readonly string[]; readonly count: number }[]> {
    // Raw SQL, because TypeORM cannot group a limited number of rows. Reads the head of the queue in the order of claims.
    const { rows } = await this.database.query<{ programs: string[]; count: number }>(
      `SELECT programs, count(*)::int AS count FROM (
          SELECT programs FROM transcoding_jobs WHERE state = 'ready' AND ready_at < $1::timestamptz - interval '${WAITING_TOO_LONG}'
          ORDER BY priority, turn, id LIMIT ${MAX_HEAD}
        ) AS head GROUP BY programs`,
      [this.clock.now()],
    );
    return rows;
  }

  /** Returns those of the transcodings that are still unavailable. */
  async findStillUnavailable(ids: readonly string[]): Promise<UnavailableTranscoding[]> {
    const { rows } = await this.database.query<UnavailableTranscoding>(
      `SELECT ${CLAIMED_COLUMNS}, programs, ARRAY(
          SELECT program FROM unnest(programs) AS program
          WHERE NOT EXISTS (SELECT FROM converter_workers w WHERE program = ANY(w.programs)) ORDER BY program
        ) AS missing, (SELECT bool_and(w.isolation ? 'refusal') FROM converter_workers w) AS refused ${UNAVAILABLE} AND id = ANY($2::uuid[])`,
      [this.clock.now(), ids],
    );
    return rows;
  }
}
