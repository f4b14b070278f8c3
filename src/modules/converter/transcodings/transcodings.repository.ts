import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, Raw } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { countUpTo, Database } from '../../../shared/database/index.js';
import { currentTraceparent } from '../../../shared/tracing/index.js';
import { offeredBy } from '../../formats/index.js';
import { PRIORITIES, Transcoding } from './transcoding.entity.js';

/** One in this many claims skips the previews; otherwise a thousand previews of one customer would delay another customer's single rendition. */
const PREVIEWS_PASSED_EVERY = 4;
/** A worker renews its claims every few seconds; one that has been silent this long counts as stalled, although its process lives. */
const STALLED_AFTER_SECONDS = 60;

/** A transcoding to add to the queue. */
export type NewTranscoding = Pick<Transcoding, 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId' | 'isLong' | 'priority'> & {
  /** The programs that its format needs. */
  readonly programs: readonly string[];
};

/** A transcoding in the queue; `jobId` is its id, as callers of the API know it. */
export type QueuedTranscoding = Pick<Transcoding, 'formatId' | 'sourceMediaId'> & { readonly jobId: string };

/** A transcoding as the worker that claimed it sees it. */
export type ClaimedTranscoding = Pick<
  Transcoding,
  'id' | 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId' | 'priority' | 'attempt' | 'failures' | 'depth'
> &
  Partial<Pick<Transcoding, 'rootEventId' | 'traceparent'>>;

/** A running transcoding, and the worker that claimed it. */
export type RunningTranscoding = ClaimedTranscoding & { readonly lockedBy: string };

/** A free place for a transcoding. */
export interface FreePlace {
  /** Which kind of work it is for. */
  readonly isLong: boolean;
  /** Seconds that the work may be expected to take, or is not yet known to exceed; null: as long as it needs. */
  readonly maxExpectedSeconds: number | null;
  /** The customers whose work it is not for. */
  readonly withoutCustomers: readonly number[];
}

/** The largest value of an integer column. */
const MAX_SECONDS = 2_147_483_647;

const RELEASED = { state: 'ready', lockedBy: null, heartbeatAt: null } as const;

/** A transcoding that was interrupted this often is not tried again, because it may itself be what ends its workers. */
export const MAX_FAILURES = 5;
/** The delay before the second attempt; it doubles before each further one. */
const RETRY_DELAY_SECONDS = 15;
/** The pause between two attempts while the storage is down or the disk is full: either may recover at any time, and an attempt costs little. */
const OUTAGE_DELAY_SECONDS = 15;
/** The number of transcodings that one transaction deletes: each of them publishes an event. */
export const DELETION_BATCH = 100;

/** The columns of a ClaimedTranscoding, for RETURNING. */
export const CLAIMED_COLUMNS = `id, customer_id AS "customerId", media_container_id AS "mediaContainerId", source_media_id AS "sourceMediaId",
  format_id AS "formatId", priority, attempt, failures, depth, root_event_id AS "rootEventId", traceparent`;

/**
 * The queue of transcodings: all transitions of a row, from waiting to running to deleted. A claim increments the attempt, and every later change
 * requires that attempt and that worker, so a worker that was presumed dead and continues changes nothing.
 */
@Injectable()
export class TranscodingsRepository {
  /** The numbers of claims of this process, by the kind of place. */
  private readonly claimed = { short: 0, long: 0 };

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  /**
   * Adds transcodings, by their new ids; returns one for each pair of source and format: the new one, or the one that has not ended yet.
   */
  async enqueue(
    wanted: ReadonlyMap<string, NewTranscoding>,
    { depth, rootEventId }: { readonly depth: number; readonly rootEventId: string | null },
  ): Promise<QueuedTranscoding[]> {
    // Raw SQL, because turns are computed from the existing rows in the statement that inserts. Transcodings of a customer are one turn
    // apart, in the order of the requests, so that customers alternate however many each has; within a turn the earlier id comes first (ids
    // are ordered by time). An existing transcoding is returned instead of a second one; it is updated, so that it is returned even while
    // another transaction inserts it.
    // `heads`: the first turn of a customer without transcodings in the queue of a kind and priority is that of the first waiting
    // transcoding, but after the running ones. Otherwise a transcoding that cannot be claimed for a long time would give an early turn to
    // every such customer, and a few customers that keep adding one would starve the others. `tails`: the last turn of a customer's own
    // transcodings.
    const { rows } = await this.database.query<QueuedTranscoding>(
      `WITH wanted AS (
          SELECT DISTINCT ON (source_media_id, format_id) * FROM jsonb_to_recordset($1::jsonb) AS job (id uuid, place int, customer_id int,
            media_container_id int, source_media_id int, format_id int, programs text[], is_long boolean, priority smallint)
          ORDER BY source_media_id, format_id, place
        ), heads AS (
          SELECT is_long, priority, greatest(
              (SELECT turn FROM transcoding_jobs j
                WHERE j.state = 'ready' AND j.is_long = queue.is_long AND j.priority = queue.priority ORDER BY turn LIMIT 1),
              (SELECT max(turn) + 1 FROM transcoding_jobs j
                WHERE j.state = 'running' AND j.is_long = queue.is_long AND j.priority = queue.priority), 0) AS turn
            FROM (SELECT DISTINCT is_long, priority FROM wanted) AS queue
        ), tails AS (
          SELECT customer_id, is_long, priority, (SELECT max(turn) FROM transcoding_jobs j
              WHERE j.customer_id = own.customer_id AND j.is_long = own.is_long AND j.priority = own.priority) AS turn
            FROM (SELECT DISTINCT customer_id, is_long, priority FROM wanted) AS own
        )
        INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, is_long, priority, turn,
          ready_at, depth, root_event_id, traceparent)
        SELECT w.id, w.customer_id, w.media_container_id, w.source_media_id, w.format_id, w.programs, w.is_long, w.priority,
          greatest(h.turn, t.turn + 1) + row_number() OVER (PARTITION BY w.customer_id, w.is_long, w.priority ORDER BY w.place) - 1, $2, $3, $4, $5
        FROM wanted w JOIN heads h USING (is_long, priority) JOIN tails t USING (customer_id, is_long, priority)
        ORDER BY w.source_media_id, w.format_id
        ON CONFLICT (source_media_id, format_id) DO UPDATE SET depth = transcoding_jobs.depth
        RETURNING id AS "jobId", source_media_id AS "sourceMediaId", format_id AS "formatId"`,
      [toRecords(wanted), this.clock.now(), depth, rootEventId, currentTraceparent()],
    );
    return rows;
  }

  /** The number of a customer's transcodings, counted up to `limit`. */
  async countUpTo(customerId: number, limit: number): Promise<number> {
    return await countUpTo(this.repository, { customerId }, limit);
  }

  /**
   * Claims the first transcoding for the place whose programs are all in `programs`; previews come first, except every fourth time. Null: no transcoding is waiting.
   */
  async claim(programs: readonly string[], worker: string, place: FreePlace): Promise<ClaimedTranscoding | null> {
    const { isLong, maxExpectedSeconds, withoutCustomers } = place;
    const values = [this.clock.now(), offeredBy(programs), worker, isLong, maxExpectedSeconds, withoutCustomers];
    const kind = isLong ? 'long' : 'short';
    const passesPreviews = this.claimed[kind] % PREVIEWS_PASSED_EVERY === PREVIEWS_PASSED_EVERY - 1;
    const passing = passesPreviews ? await this.claimFirst(values, `AND priority > ${PRIORITIES.preview}`) : null;
    const transcoding = passing ?? (await this.claimFirst(values));
    if (transcoding) this.claimed[kind] += 1;
    return transcoding;
  }

  /** Renews a claim; false: the worker no longer has the claim. */
  async renewClaim({ id, attempt }: ClaimedTranscoding, worker: string): Promise<boolean> {
    const { affected } = await this.repository.update({ id, attempt, lockedBy: worker }, { heartbeatAt: () => 'now()' });
    return affected === 1;
  }

  /**
   * Releases a claim after a failure; the transcoding is tried again later. False: the worker no longer has the claim, or the last attempt has
   * failed.
   */
  async scheduleRetry({ id, attempt }: ClaimedTranscoding, worker: string): Promise<boolean> {
    // Raw SQL, because the delay is computed from the stored number of failures.
    const { rowCount } = await this.database.query(
      `UPDATE transcoding_jobs SET state = 'ready', locked_by = NULL, heartbeat_at = NULL, failures = failures + 1,
          ready_at = $4::timestamptz + interval '${RETRY_DELAY_SECONDS} seconds' * 2 ^ failures
        WHERE id = $1 AND attempt = $2 AND locked_by = $3 AND failures < ${MAX_FAILURES - 1}`,
      [id, attempt, worker, this.clock.now()],
    );
    return rowCount === 1;
  }

  /**
   * Releases a claim because of an outage, which does not count as a failure; the transcoding is tried again after a pause. False: the worker no
   * longer has the claim.
   */
  async postpone({ id, attempt }: ClaimedTranscoding, worker: string): Promise<boolean> {
    const readyAt = new Date(this.clock.now().getTime() + OUTAGE_DELAY_SECONDS * 1_000);
    return (await this.repository.update({ id, attempt, lockedBy: worker }, { ...RELEASED, readyAt })).affected === 1;
  }

  /** Releases a claim without a failure: another worker continues the transcoding at once. */
  async release({ id, attempt }: ClaimedTranscoding, worker: string): Promise<void> {
    await this.repository.update({ id, attempt, lockedBy: worker }, RELEASED);
  }

  /** Releases a claim without a failure: only a place for work that takes so many seconds is given to the transcoding (Infinity: unknown). */
  async expectLonger({ id, attempt }: ClaimedTranscoding, worker: string, seconds: number): Promise<void> {
    const expectedSeconds = Math.min(MAX_SECONDS, Math.ceil(seconds));
    await this.repository.update({ id, attempt, lockedBy: worker }, { ...RELEASED, expectedSeconds });
  }

  /** Releases a claim without a failure: only a worker with these programs continues the transcoding. */
  async requirePrograms({ id, attempt }: ClaimedTranscoding, worker: string, programs: readonly string[]): Promise<void> {
    await this.repository.update({ id, attempt, lockedBy: worker }, { ...RELEASED, programs: [...programs] });
  }

  /** The programs that a transcoding needs; empty: it has ended. */
  async findPrograms(id: string): Promise<readonly string[]> {
    return (await this.repository.findOne({ select: { id: true, programs: true }, where: { id } }))?.programs ?? [];
  }

  /** Releases transcodings that the worker claimed without knowing it, because the answer was lost. Must not be called while the worker claims. */
  async releaseAllExcept(known: readonly string[], worker: string): Promise<void> {
    const isUnknown = known.length > 0 ? { id: Not(In([...known])) } : {};
    await this.repository.update({ state: 'running', lockedBy: worker, ...isUnknown }, RELEASED);
  }

  /** Deletes a transcoding that ends, in the ambient transaction; only one of several concurrent calls succeeds. `worker` null: it is waiting. */
  async delete({ id, attempt }: ClaimedTranscoding, worker: string | null): Promise<boolean> {
    return (await this.repository.delete({ id, attempt, lockedBy: worker ?? IsNull() })).affected === 1;
  }

  /** Deletes a waiting or running transcoding of the customer; null: it had ended. */
  async deleteForCustomer(customerId: number, id: string): Promise<ClaimedTranscoding | null> {
    // Raw SQL, because only one of two concurrent cancellations may get the row (RETURNING).
    return await this.database.queryOne<ClaimedTranscoding>(
      `DELETE FROM transcoding_jobs WHERE id = $1 AND customer_id = $2 RETURNING ${CLAIMED_COLUMNS}`,
      [id, customerId],
    );
  }

  /** Deletes and returns up to DELETION_BATCH transcodings of a format. */
  async deleteSomeOfFormat(formatId: number): Promise<ClaimedTranscoding[]> {
    return await this.deleteSome('format_id = $1', formatId);
  }

  /** Deletes and returns up to DELETION_BATCH transcodings of a media container. */
  async deleteSomeOfContainer(mediaContainerId: number): Promise<ClaimedTranscoding[]> {
    return await this.deleteSome('media_container_id = $1', mediaContainerId);
  }

  /** The workers that have claims. */
  async listWorkers(): Promise<string[]> {
    // Raw SQL, because TypeORM's find has no DISTINCT.
    const { rows } = await this.database.query<{ worker: string }>(
      `SELECT DISTINCT locked_by AS worker FROM transcoding_jobs WHERE state = 'running'`,
    );
    return rows.map(({ worker }) => worker);
  }

  async findClaimedBy(workers: readonly string[]): Promise<RunningTranscoding[]> {
    const found = await this.repository.find({ where: { state: 'running', lockedBy: In([...workers]) }, order: { id: 'ASC' } });
    return found.filter(isRunning);
  }

  /** Transcodings of workers that have been silent for too long. */
  async findStalled(): Promise<RunningTranscoding[]> {
    const heartbeatAt = Raw((column) => `${column} < now() - interval '${STALLED_AFTER_SECONDS} seconds'`);
    return (await this.repository.find({ where: { state: 'running', heartbeatAt }, order: { id: 'ASC' } })).filter(isRunning);
  }

  /** The number of the current attempt; null: the transcoding has ended. */
  async findAttempt(id: string): Promise<number | null> {
    return (await this.repository.findOne({ select: { id: true, attempt: true }, where: { id } }))?.attempt ?? null;
  }

  /** The formats that are being made of an original, or wait to be made. */
  async findFormats(sourceMediaId: number): Promise<number[]> {
    return (await this.repository.find({ select: { formatId: true }, where: { sourceMediaId } })).map(({ formatId }) => formatId);
  }

  /** Claims the first transcoding that fulfils a further `condition` (constant SQL), previews first. */
  private async claimFirst(values: readonly unknown[], condition = ''): Promise<ClaimedTranscoding | null> {
    // Raw SQL, because concurrent workers must each get a different row (SKIP LOCKED).
    return await this.database.queryOne<ClaimedTranscoding>(
      `UPDATE transcoding_jobs SET state = 'running', attempt = attempt + 1, locked_by = $3, heartbeat_at = now()
        WHERE id = ANY(ARRAY(
          SELECT id FROM transcoding_jobs WHERE state = 'ready' AND ready_at <= $1 AND programs <@ $2::text[] AND is_long = $4
            AND ($5::int IS NULL OR coalesce(expected_seconds <= $5, true)) AND customer_id <> ALL($6::int[]) ${condition}
          ORDER BY priority, turn, id LIMIT 1 FOR UPDATE SKIP LOCKED))
        RETURNING ${CLAIMED_COLUMNS}`,
      values,
    );
  }

  private async deleteSome(condition: string, owner: number): Promise<ClaimedTranscoding[]> {
    // Raw SQL, because TypeORM cannot delete a limited number of rows and return them.
    const { rows } = await this.database.query<ClaimedTranscoding>(
      `DELETE FROM transcoding_jobs
        WHERE id = ANY(ARRAY(SELECT id FROM transcoding_jobs WHERE ${condition} ORDER BY id LIMIT ${DELETION_BATCH} FOR UPDATE))
        RETURNING ${CLAIMED_COLUMNS}`,
      [owner],
    );
    return rows;
  }

  private get repository() {
    return this.database.repository(Transcoding);
  }
}

const isRunning = (transcoding: Transcoding): transcoding is Transcoding & { lockedBy: string } => transcoding.lockedBy !== null;

/** As jsonb_to_recordset reads them. */
const toRecords = (wanted: ReadonlyMap<string, NewTranscoding>): string =>
  JSON.stringify(
    [...wanted].map(([id, transcoding], place) => ({
      id,
      place,
      customer_id: transcoding.customerId,
      media_container_id: transcoding.mediaContainerId,
      source_media_id: transcoding.sourceMediaId,
      format_id: transcoding.formatId,
      programs: transcoding.programs,
      is_long: transcoding.isLong,
      priority: transcoding.priority,
    })),
  );
