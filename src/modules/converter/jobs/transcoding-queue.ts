import { Injectable } from '@nestjs/common';
import { Database, Notifications } from '../../../shared/database/index.js';
import { currentEventDepth, currentRootEvent } from '../../../shared/events/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { Clock } from '../../../shared/time/index.js';
import { Activities } from '../../activity/index.js';
import { type ClaimedJob, JOB_COLUMNS } from './claimed-job.js';
import { jobEndErrors } from './job-end.errors.js';
import { timeOrderedId } from './time-ordered-id.js';
import { TranscodingCompletion } from './transcoding-completion.js';
import type { TranscodingJob } from './transcoding-job.entity.js';
import { READY, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

/** A rendition that is wanted. */
export type NewTranscodingJob = Pick<TranscodingJob, 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId' | 'priority'> & {
  /** programsOf its format. */
  readonly programs: readonly string[];
};

/** The job that makes a rendition. */
export type QueuedJob = Pick<TranscodingJob, 'formatId' | 'sourceMediaId'> & { readonly jobId: string };

/**
 * Where a line begins for who comes new: at its first waiting job, but behind those that are being worked on. Otherwise what cannot be taken
 * for long would keep an early turn for everybody who comes later, and few customers who always want one more would keep the others waiting.
 */
const HEADS = `SELECT priority, greatest(
      (SELECT turn FROM transcoding_jobs j WHERE j.state = 'ready' AND j.priority = line.priority ORDER BY turn LIMIT 1),
      (SELECT max(turn) + 1 FROM transcoding_jobs j WHERE j.state = 'running' AND j.priority = line.priority), 0) AS turn
    FROM (SELECT DISTINCT priority FROM wanted) AS line`;

/** Where a customer's own jobs end in a line. */
const TAILS = `SELECT customer_id, priority,
      (SELECT max(turn) FROM transcoding_jobs j WHERE j.customer_id = own.customer_id AND j.priority = own.priority) AS turn
    FROM (SELECT DISTINCT customer_id, priority FROM wanted) AS own`;

/**
 * Jobs of a customer stand one turn apart, in the order in which they are asked for: customers take turns, however many jobs each has, and
 * within a turn whoever came first is first (the ids are in the order of time). A job that is there already is answered in place of a second one; it is touched, so that it is answered even when another transaction is just
 * inserting it.
 */
const ENQUEUE = `WITH wanted AS (
    SELECT DISTINCT ON (source_media_id, format_id) * FROM jsonb_to_recordset($1::jsonb) AS job (id uuid, place int, customer_id int,
      media_container_id int, source_media_id int, format_id int, programs text[], priority smallint)
    ORDER BY source_media_id, format_id, place
  ), heads AS (
    ${HEADS}
  ), tails AS (
    ${TAILS}
  )
  INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, priority, turn, ready_at, depth, root_event_id)
  SELECT w.id, w.customer_id, w.media_container_id, w.source_media_id, w.format_id, w.programs, w.priority,
    greatest(h.turn, t.turn + 1) + row_number() OVER (PARTITION BY w.customer_id, w.priority ORDER BY w.place) - 1, $2, $3, $4
  FROM wanted w JOIN heads h USING (priority) JOIN tails t USING (customer_id, priority)
  ORDER BY w.source_media_id, w.format_id
  ON CONFLICT (source_media_id, format_id) DO UPDATE SET depth = transcoding_jobs.depth
  RETURNING id AS "jobId", source_media_id AS "sourceMediaId", format_id AS "formatId"`;

const COUNT = `SELECT count(*)::int AS count FROM (SELECT FROM transcoding_jobs WHERE customer_id = $1 LIMIT $2) AS counted`;

const CANCEL = `DELETE FROM transcoding_jobs WHERE id = $1 AND customer_id = $2 RETURNING ${JOB_COLUMNS}`;

/** The line of renditions that are to be made, for those who want one. Who makes them: JobLeases. */
@Injectable()
export class TranscodingQueue {
  constructor(
    private readonly activities: Activities,
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletion,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly quotas: Quotas,
  ) {
    quotas.countBy('waitingTranscodings', async (customerId, atMost) => {
      return (await this.database.queryOne<{ count: number }>(COUNT, [customerId, atMost]))?.count ?? 0;
    });
  }

  /**
   * Puts jobs into the line, in the ambient transaction, and answers the job of each (source, format) once: a new one, or the one that has not
   * ended yet. Throws `quota_exceeded`.
   */
  async enqueue(jobs: readonly NewTranscodingJob[]): Promise<QueuedJob[]> {
    if (jobs.length === 0) return [];
    const wanted = new Map(jobs.map((job, place) => [timeOrderedId(this.clock.now()), { ...job, place }]));
    return await this.database.transaction(async () => {
      for (const [customerId, amount] of countByCustomer(jobs)) await this.quotas.reserve(customerId, 'waitingTranscodings', amount);
      const { rows } = await this.database.query<QueuedJob>(ENQUEUE, [
        records(wanted),
        ...[this.clock.now(), currentEventDepth(), currentRootEvent()],
      ]);
      const begun = rows.flatMap(({ jobId }) => {
        const job = wanted.get(jobId); // absent: the job was there before
        return job ? [{ ...job, id: jobId, clientId: null, type: 'transcoding' as const }] : [];
      });
      if (begun.length > 0) await this.begin(begun);
      return rows;
    });
  }

  /** The same for jobs of one customer that nobody asked for: those that its quota does not allow have failed at once, and nothing throws. */
  async enqueueAllowed(jobs: readonly NewTranscodingJob[]): Promise<void> {
    const [first] = jobs;
    if (!first) return;
    await this.database.transaction(async () => {
      const room = await this.quotas.room(first.customerId, 'waitingTranscodings', jobs.length);
      await this.enqueue(jobs.slice(0, room));
      if (room === jobs.length) return;
      const { code, detail: message } = await this.quotas.refusal(first.customerId, 'waitingTranscodings');
      const refused = jobs
        .slice(room)
        .map((job) => ({ ...job, id: timeOrderedId(this.clock.now()), clientId: null, type: 'transcoding' as const }));
      await this.activities.beginMany(refused);
      for (const { id } of refused) await this.activities.fail(id, { code, message });
    });
  }

  /** Ends a job of the customer, whether it waits or runs; false: it had ended. */
  async cancel(customerId: number, jobId: string): Promise<boolean> {
    return await this.database.transaction(async () => {
      const { rows } = await this.database.query<ClaimedJob>(CANCEL, [jobId, customerId]);
      await this.completion.abandon(rows, jobEndErrors.cancelled('It was cancelled.'));
      return rows.length > 0;
    });
  }

  private async begin(jobs: Parameters<Activities['beginMany']>[0]): Promise<void> {
    await this.activities.beginMany(jobs);
    await this.notifications.notify(TRANSCODINGS_CHANNEL, READY);
  }
}

function countByCustomer(jobs: readonly NewTranscodingJob[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { customerId } of jobs) counts.set(customerId, (counts.get(customerId) ?? 0) + 1);
  return counts;
}

/** As jsonb_to_recordset reads them. */
const records = (wanted: ReadonlyMap<string, NewTranscodingJob & { readonly place: number }>): string =>
  JSON.stringify(
    [...wanted].map(([id, job]) => ({
      id,
      place: job.place,
      customer_id: job.customerId,
      media_container_id: job.mediaContainerId,
      source_media_id: job.sourceMediaId,
      format_id: job.formatId,
      programs: job.programs,
      priority: job.priority,
    })),
  );
