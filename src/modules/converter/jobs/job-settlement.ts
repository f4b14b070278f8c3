import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isDatabaseDown } from '../../../shared/database/index.js';
import { Log } from '../../../shared/logging/index.js';
import type { JobOutcome } from '../execution/job-outcome.js';
import type { ClaimedJob } from './claimed-job.js';
import { jobEndErrors } from './job-end.errors.js';
import { JobLeases, MOST_FAILURES } from './job-leases.js';
import { RenditionSweeps } from './rendition-sweeps.js';
import { failure, TranscodingCompletion } from './transcoding-completion.js';

const AGAIN_AFTER_MS = 500;
/** So often an end is tried to be recorded that the database refuses although it answers; then the work is done anew, later. */
const MOST_TRIES = 3;

/** An outcome that its worker reached. */
export interface Settlement {
  readonly job: ClaimedJob;
  readonly holder: string;
  readonly outcome: JobOutcome;
  /** Whether to try on while the database is away. */
  goesOn(): boolean;
}

/** What becomes of a job after an attempt: it ends, or it is tried again. */
@Injectable()
export class JobSettlement {
  constructor(
    private readonly completion: TranscodingCompletion,
    private readonly leases: JobLeases,
    private readonly sweeps: RenditionSweeps,
    private readonly log: Log,
  ) {}

  /** Records an outcome, however long the database is away. What is not the holder's any more is left alone, but for what it left in the storage. */
  async settle({ job, holder, outcome, goesOn }: Settlement): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        const isOurs = await this.record(job, holder, tries > MOST_TRIES ? UNRECORDED : outcome);
        if (!isOurs) await this.sweeps.request(job);
        return;
      } catch (err) {
        if (!goesOn()) throw err;
        if (isDatabaseDown(err)) tries -= 1;
        this.log.warn({ err, jobId: job.id }, 'cannot record how a transcoding ended, trying again');
        await setTimeout(AGAIN_AFTER_MS);
      }
    }
  }

  /** Whoever had the job was interrupted: it is tried again later, or it ends. False: it is not the holder's any more. */
  async interrupt(job: ClaimedJob, holder: string, reason: string): Promise<boolean> {
    const isOurs = job.failures + 1 < MOST_FAILURES ? await this.leases.postpone(job, holder) : await this.giveUp(job, holder, reason);
    if (isOurs) this.log.warn({ jobId: job.id, failures: job.failures + 1, reason }, 'a transcoding was interrupted');
    return isOurs;
  }

  private async giveUp(job: ClaimedJob, holder: string, reason: string): Promise<boolean> {
    const error = jobEndErrors.transcoding_gave_up(`It was interrupted ${MOST_FAILURES} times; the last time: ${reason}`);
    return await this.completion.complete(job, holder, failure(error));
  }

  private async record(job: ClaimedJob, holder: string, outcome: JobOutcome): Promise<boolean> {
    if (outcome.kind === 'later') return await this.interrupt(job, holder, outcome.reason);
    return await this.completion.complete(job, holder, outcome);
  }
}

const UNRECORDED: JobOutcome = { kind: 'later', reason: 'what came of it could not be recorded.' };
