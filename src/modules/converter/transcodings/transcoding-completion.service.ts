import { Injectable } from '@nestjs/common';
import { Database, Notifications } from '../../../shared/database/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { EventOutboxService } from '../../../shared/events/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SeriesCounter, seriesByValue } from '../../../shared/series-counter.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { FormatReaderService } from '../../formats/index.js';
import { MediaRenditionsService } from '../../media/index.js';
import type { TranscodingOutcome } from '../execution/transcoding-outcome.js';
import { RenditionCleanupJob } from './rendition-cleanup.job.js';
import { executionErrors, transcodingEndErrors } from './transcodings.errors.js';
import { type ClaimedTranscoding, MAX_FAILURES, TranscodingsRepository } from './transcodings.repository.js';
import { cancelled, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

/** How many times recording an outcome is tried that the database rejects although it answers; then the work is repeated later. */
const MAX_RECORD_ATTEMPTS = 3;
const UNRECORDED: ReachedOutcome['outcome'] = { kind: 'later', reason: 'what came of it could not be recorded.' };

const ends = new SeriesCounter({
  name: 'transcodings_total',
  help: 'Ended transcodings, by outcome and the code of the failure; interrupted: the attempt ended, and another one follows.',
  labels: ['outcome', 'reason'],
});
const ended = seriesByValue(ends, 'outcome', ['made', 'skipped', 'interrupted'], { reason: '' });
for (const reason of Object.keys({ ...executionErrors, ...transcodingEndErrors })) ends.series({ outcome: 'failed', reason });

type Made = Extract<TranscodingOutcome, { kind: 'made' }>;
type Skipped = Extract<TranscodingOutcome, { kind: 'skipped' }>;
type Failed = Extract<TranscodingOutcome, { kind: 'failed' }>;

/** How a transcoding ends. */
export type TranscodingEnd = Made | Skipped | Failed;

/** The outcome of an attempt, and the worker that reached it. */
export interface ReachedOutcome {
  readonly transcoding: ClaimedTranscoding;
  readonly worker: string;
  readonly outcome: Exclude<TranscodingOutcome, { kind: 'elsewhere' | 'longer' }>;
  /** How many times the database has refused to record it although it answered. */
  readonly refused: number;
}

/** Ends attempts: the transcoding ends, or it is tried again. Its row, the media item, the activity and the event change in one transaction. */
@Injectable()
export class TranscodingCompletionService {
  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly cleanup: RenditionCleanupJob,
    private readonly database: Database,
    private readonly formats: FormatReaderService,
    private readonly log: Log,
    private readonly notifications: Notifications,
    private readonly outbox: EventOutboxService,
    private readonly renditions: MediaRenditionsService,
    private readonly transcodings: TranscodingsRepository,
  ) {}

  /**
   * Records an outcome; if the database keeps rejecting it, another attempt is made later. If the worker no longer has the claim, only the objects
   * that the attempt left in the storage are removed.
   */
  async record({ transcoding, worker, outcome, refused }: ReachedOutcome): Promise<void> {
    const recorded = refused < MAX_RECORD_ATTEMPTS ? outcome : UNRECORDED;
    const isClaimed = await this.end(transcoding, worker, recorded);
    if (!isClaimed) await this.cleanup.request(transcoding);
  }

  private async end(transcoding: ClaimedTranscoding, worker: string, outcome: ReachedOutcome['outcome']): Promise<boolean> {
    if (outcome.kind !== 'later') return await this.complete(transcoding, worker, outcome);
    const { reason, isOutage } = outcome;
    if (!isOutage) return await this.interrupt(transcoding, worker, reason);
    const isClaimed = await this.transcodings.postpone(transcoding, worker);
    if (isClaimed) this.logInterruption(transcoding, transcoding.failures, reason);
    if (isClaimed) ended.interrupted.count += 1;
    return isClaimed;
  }

  private logInterruption({ id: jobId }: ClaimedTranscoding, failures: number, reason: string): void {
    this.log.warn({ operation: 'transcoding', jobId, failures, reason }, 'a transcoding was interrupted');
  }

  /** Records an interruption: the transcoding is tried again later, or fails for good. False: the worker no longer has the claim. */
  async interrupt(transcoding: ClaimedTranscoding, worker: string, reason: string): Promise<boolean> {
    const failures = transcoding.failures + 1;
    const isClaimed =
      failures < MAX_FAILURES ? await this.scheduleRetry(transcoding, worker) : await this.giveUp(transcoding, worker, reason);
    if (isClaimed) this.logInterruption(transcoding, failures, reason);
    return isClaimed;
  }

  /**
   * Ends a transcoding that the worker has claimed (null: a waiting one). False: the worker no longer has the claim, and nothing has changed. If its
   * media or format has been removed meanwhile, the rendition does not become a media item and the transcoding fails.
   */
  async complete(transcoding: ClaimedTranscoding, worker: string | null, end: TranscodingEnd): Promise<boolean> {
    return await this.database.transaction(async () => {
      // Locks format, container and transcoding in this order, as the removal of a format or container does, which then ends the transcodings.
      const possible = end.kind === 'failed' ? end : await this.lockSources(transcoding, end);
      if (!(await this.transcodings.delete(transcoding, worker))) return false;
      await this.recordEnd(transcoding, possible);
      if (transcoding.attempt > 1 || possible !== end) await this.cleanup.request(transcoding);
      return true;
    });
  }

  /** Records the failure of transcodings whose rows were deleted, in the ambient transaction; their workers stop. */
  async recordDeleted(deleted: readonly ClaimedTranscoding[], reason: DomainError): Promise<void> {
    for (const transcoding of deleted) {
      await this.recordEnd(transcoding, failure(reason));
      if (transcoding.attempt > 0) await this.cleanup.request(transcoding);
      await this.notifications.notify(TRANSCODINGS_CHANNEL, cancelled(transcoding.id));
    }
  }

  private async scheduleRetry(transcoding: ClaimedTranscoding, worker: string): Promise<boolean> {
    const isClaimed = await this.transcodings.scheduleRetry(transcoding, worker);
    if (isClaimed) ended.interrupted.count += 1;
    return isClaimed;
  }

  private async giveUp(transcoding: ClaimedTranscoding, worker: string, reason: string): Promise<boolean> {
    const error = transcodingEndErrors.transcoding_gave_up(
      `The transcoding was interrupted ${MAX_FAILURES} times; the last time: ${reason}`,
    );
    return await this.complete(transcoding, worker, failure(error));
  }

  /** Locks format and media against removal until the transaction ends; if one has been removed already, the transcoding fails. */
  private async lockSources(transcoding: ClaimedTranscoding, end: Made | Skipped): Promise<TranscodingEnd> {
    const { formatId, mediaContainerId } = transcoding;
    if (!(await this.formats.lockAgainstDestruction([formatId])))
      return failure(executionErrors.format_gone(`The format ${formatId} was destroyed while it was being made.`));
    if (!(await this.renditions.lockSource(transcoding)))
      return failure(executionErrors.source_missing(`The media container ${mediaContainerId} was removed during the conversion.`));
    return end;
  }

  /** Records all consequences of the end of a transcoding whose row has been deleted. */
  private async recordEnd(transcoding: ClaimedTranscoding, end: TranscodingEnd): Promise<void> {
    this.database.afterCommit(() => countEnd(end));
    const { id: jobId, customerId, mediaContainerId, sourceMediaId, formatId, depth, rootEventId: rootId } = transcoding;
    const mediaId = end.kind === 'failed' ? sourceMediaId : await this.store(transcoding, end);
    const ids = { mediaContainerId, mediaId, formatId };
    const skipped = end.kind === 'skipped' && { skipped: true as const };
    const result = { status: 'successful', ...ids, ...skipped, ...messageOf(end) };
    await this.activities.finish(jobId, end.kind === 'failed' ? end : { result });
    const payload = { jobId, ...ids, status: end.kind === 'failed' ? ('failed' as const) : ('successful' as const), ...skipped };
    await this.outbox.publish({ name: 'event:transcoderJobComplete', customerId, method: 'update', payload, depth, rootId });
  }

  /** Returns the id of the media item: the rendition, or the original if the format is the original itself or was skipped. */
  private async store(transcoding: ClaimedTranscoding, end: Made | Skipped): Promise<number> {
    await this.renditions.describeOriginal(transcoding, end.source);
    const rendition = end.kind === 'made' ? end.rendition : null;
    const others = (end.kind === 'made' && end.others) || [];
    return rendition ? await this.renditions.add(transcoding, rendition, others) : transcoding.sourceMediaId;
  }
}

/** What the result says beside the ids: why there is no rendition, or what the rendition lacks. */
function messageOf(end: TranscodingEnd): { readonly message?: string } {
  if (end.kind === 'skipped') return { message: end.reason };
  return end.kind === 'made' && end.message !== undefined ? { message: end.message } : {};
}

function countEnd(end: TranscodingEnd): void {
  if (end.kind === 'failed') ends.series({ outcome: 'failed', reason: end.code }).count += 1;
  else ended[end.kind].count += 1;
}

/** The end of a transcoding that failed with this error. */
export const failure = ({ code, detail: message }: DomainError): Failed => ({ kind: 'failed', code, message, log: null });
