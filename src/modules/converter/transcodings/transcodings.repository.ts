import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, Raw } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Database, DatabaseMetricsService } from '../../../shared/database/index.js';
import { currentTraceparent } from '../../../shared/tracing/index.js';
import { offeredBy } from '../../formats/index.js';
import { Transcoding } from './transcoding.entity.js';
import {
  CLAIM,
  CLAIM_BEHIND_PREVIEWS,
  COUNT_QUEUES,
  COUNT_UP_TO,
  DELETE_FOR_CUSTOMER,
  DELETE_SOME_OF_CONTAINER,
  DELETE_SOME_OF_FORMAT,
  ENQUEUE,
  FIND_STILL_UNAVAILABLE,
  FIND_UNAVAILABLE,
  LIST_WAITING_PROGRAMS,
  LIST_WORKERS,
  OUTAGE_DELAY_SECONDS,
  SCHEDULE_RETRY,
} from './transcodings.queries.js';

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

/** A transcoding that waits for programs that no worker has. */
export type UnavailableTranscoding = ClaimedTranscoding & {
  readonly programs: readonly string[];
  /** Its programs that no worker has; empty: no worker has all of its programs together. */
  readonly missing: readonly string[];
  /** Whether no worker may run programs. */
  readonly refused: boolean;
};

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
    metrics: DatabaseMetricsService,
  ) {
    metrics.countQueues(COUNT_QUEUES);
  }

  /**
   * Adds transcodings, by their new ids; returns one for each pair of source and format: the new one, or the one that has not ended yet.
   */
  async enqueue(
    wanted: ReadonlyMap<string, NewTranscoding>,
    { depth, rootEventId }: { readonly depth: number; readonly rootEventId: string | null },
  ): Promise<QueuedTranscoding[]> {
    return (
      await this.database.query<QueuedTranscoding>(ENQUEUE, [toRecords(wanted), this.clock.now(), depth, rootEventId, currentTraceparent()])
    ).rows;
  }

  /** The number of a customer's transcodings, counted up to `limit`. */
  async countUpTo(customerId: number, limit: number): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT_UP_TO, [customerId, limit]))?.count ?? 0;
  }

  /**
   * Claims the first transcoding for the place whose programs are all in `programs`; previews come first, except every fourth time. Null: no transcoding is waiting.
   */
  async claim(programs: readonly string[], worker: string, place: FreePlace): Promise<ClaimedTranscoding | null> {
    const { isLong, maxExpectedSeconds, withoutCustomers } = place;
    const values = [this.clock.now(), offeredBy(programs), worker, isLong, maxExpectedSeconds, withoutCustomers];
    const kind = isLong ? 'long' : 'short';
    const passesPreviews = this.claimed[kind] % PREVIEWS_PASSED_EVERY === PREVIEWS_PASSED_EVERY - 1;
    const passing = passesPreviews ? await this.database.queryOne<ClaimedTranscoding>(CLAIM_BEHIND_PREVIEWS, values) : null;
    const transcoding = passing ?? (await this.database.queryOne<ClaimedTranscoding>(CLAIM, values));
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
    return (await this.database.query(SCHEDULE_RETRY, [id, attempt, worker, this.clock.now()])).rowCount === 1;
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
    return await this.database.queryOne<ClaimedTranscoding>(DELETE_FOR_CUSTOMER, [id, customerId]);
  }

  /** Deletes and returns up to DELETION_BATCH transcodings of a format. */
  async deleteSomeOfFormat(formatId: number): Promise<ClaimedTranscoding[]> {
    return (await this.database.query<ClaimedTranscoding>(DELETE_SOME_OF_FORMAT, [formatId])).rows;
  }

  /** Deletes and returns up to DELETION_BATCH transcodings of a media container. */
  async deleteSomeOfContainer(mediaContainerId: number): Promise<ClaimedTranscoding[]> {
    return (await this.database.query<ClaimedTranscoding>(DELETE_SOME_OF_CONTAINER, [mediaContainerId])).rows;
  }

  /** The workers that have claims. */
  async listWorkers(): Promise<string[]> {
    return (await this.database.query<{ worker: string }>(LIST_WORKERS)).rows.map(({ worker }) => worker);
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

  /** Returns those of the transcodings that are waiting. */
  async findWaiting(ids: readonly string[]): Promise<Pick<Transcoding, 'id' | 'programs'>[]> {
    return await this.repository.find({ select: { id: true, programs: true }, where: { id: In([...ids]), state: 'ready' } });
  }

  /** The ids of transcodings that have waited for a day for programs that no worker has. */
  async findUnavailable(): Promise<string[]> {
    return (await this.database.query<{ id: string }>(FIND_UNAVAILABLE, [this.clock.now()])).rows.map(({ id }) => id);
  }

  /** The programs for which up to MAX_HEAD transcodings have waited for more than a minute, and the number of transcodings that wait for each set. */
  async listWaitingPrograms(): Promise<{ readonly programs: readonly string[]; readonly count: number }[]> {
    return (await this.database.query<{ programs: string[]; count: number }>(LIST_WAITING_PROGRAMS, [this.clock.now()])).rows;
  }

  /** Returns those of the transcodings that are still unavailable. */
  async findStillUnavailable(ids: readonly string[]): Promise<UnavailableTranscoding[]> {
    return (await this.database.query<UnavailableTranscoding>(FIND_STILL_UNAVAILABLE, [this.clock.now(), ids])).rows;
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
