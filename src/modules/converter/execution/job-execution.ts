import { Injectable } from '@nestjs/common';
import type { ClaimedJob } from '../jobs/claimed-job.js';
import type { JobOutcome } from './job-outcome.js';

/** What the work on a job hears from whoever gave it, and tells. */
export interface JobControl {
  /** Ends the work: the job was taken away, cancelled, or the process stops. */
  readonly signal: AbortSignal;
  /** How far it is, in per cent; never 100 before it is committed. */
  advance(percent: number): void;
  /** Whether the job still belongs to this worker; asked before something is put into the storage. */
  isOurs(): Promise<boolean>;
}

/** The work on one job: from the original in the storage to the rendition in the storage. */
@Injectable()
export class JobExecution {
  /** Never throws for what a job can meet; aborted, it stops quickly and answers `later`. Nothing of it stays on this machine. */
  async run(_job: ClaimedJob, _control: JobControl): Promise<JobOutcome> {
    return { kind: 'later', reason: 'Nothing can be made yet.' };
  }
}
