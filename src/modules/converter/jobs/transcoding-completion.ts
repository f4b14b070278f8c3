import { Injectable } from '@nestjs/common';
import { Database, Notifications } from '../../../shared/database/index.js';
import type { DomainError } from '../../../shared/errors/index.js';
import { EventOutbox } from '../../../shared/events/index.js';
import { Activities } from '../../activity/index.js';
import { FormatReader } from '../../formats/index.js';
import { MediaRenditions } from '../../media/index.js';
import { executionErrors } from '../execution/execution.errors.js';
import type { JobOutcome } from '../execution/job-outcome.js';
import type { ClaimedJob } from './claimed-job.js';
import { JobLeases } from './job-leases.js';
import { RenditionSweeps } from './rendition-sweeps.js';
import { cancelled, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

type Made = Extract<JobOutcome, { kind: 'made' }>;
type Failed = Extract<JobOutcome, { kind: 'failed' }>;

/** How a job ends. */
export type TranscodingEnd = Made | Failed;

/** A job ends because of an error. */
export const failure = ({ code, detail: message }: DomainError): Failed => ({ kind: 'failed', code, message, log: null });

/** The end of transcoding jobs: the job, the media item, what callers are told and the event are one transaction. */
@Injectable()
export class TranscodingCompletion {
  constructor(
    private readonly activities: Activities,
    private readonly database: Database,
    private readonly formats: FormatReader,
    private readonly leases: JobLeases,
    private readonly notifications: Notifications,
    private readonly outbox: EventOutbox,
    private readonly renditions: MediaRenditions,
    private readonly sweeps: RenditionSweeps,
  ) {}

  /**
   * Ends a job that `holder` has (null: that waits). False, and nothing done, when it is not the holder's any more. What was made of media or by a
   * format that is gone meanwhile becomes no media item; the job has failed then.
   */
  async complete(job: ClaimedJob, holder: string | null, end: TranscodingEnd): Promise<boolean> {
    return await this.database.transaction(async () => {
      // Format, container, job: who destroys one of the first two locks them in this order, and ends the jobs afterwards.
      const possible = end.kind === 'made' ? await this.hold(job, end) : end;
      if (!(await this.leases.take(job, holder))) return false;
      await this.conclude(job, possible);
      if (job.attempt > 1 || possible !== end) await this.sweeps.request(job);
      return true;
    });
  }

  /** Tells the end of jobs that were taken away from whoever had them, in the ambient transaction; who works on one stops. */
  async abandon(taken: readonly ClaimedJob[], reason: DomainError): Promise<void> {
    for (const job of taken) {
      await this.conclude(job, failure(reason));
      if (job.attempt > 0) await this.sweeps.request(job);
      await this.notifications.notify(TRANSCODINGS_CHANNEL, cancelled(job.id));
    }
  }

  /** What it comes to, now that nobody can destroy format or media any more. */
  private async hold(job: ClaimedJob, made: Made): Promise<TranscodingEnd> {
    if (!(await this.formats.keep([job.formatId])))
      return failure(executionErrors.format_gone(`The format ${job.formatId} was destroyed while it was being made.`));
    if (!(await this.renditions.hold(job)))
      return failure(
        executionErrors.source_missing(`The media container ${job.mediaContainerId} was removed while a format was made of it.`),
      );
    return made;
  }

  /** Once the job has been taken: what follows from its end. */
  private async conclude(job: ClaimedJob, end: TranscodingEnd): Promise<void> {
    const { id: jobId, customerId, mediaContainerId, sourceMediaId, formatId, depth, rootEventId: rootId } = job;
    const mediaId = end.kind === 'made' ? await this.store(job, end) : sourceMediaId;
    const result = { status: 'successful', mediaContainerId, mediaId, formatId };
    await this.activities.finish(jobId, end.kind === 'made' ? { result } : end);
    const payload = { jobId, mediaContainerId, mediaId, formatId, status: end.kind === 'made' ? 'successful' : 'failed' } as const;
    await this.outbox.publish({ name: 'event:transcoderJobComplete', customerId, method: 'update', payload, depth, rootId });
  }

  /** Answers the media item: the rendition, or the original where the format is that. */
  private async store(job: ClaimedJob, { rendition, source }: Made): Promise<number> {
    await this.renditions.describe(job, source);
    return rendition ? await this.renditions.add(job, rendition) : job.sourceMediaId;
  }
}
