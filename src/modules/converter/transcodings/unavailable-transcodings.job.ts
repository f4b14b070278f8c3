import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { describeMissing } from '../../formats/index.js';
import { failure, TranscodingCompletionService } from './transcoding-completion.service.js';
import { transcodingEndErrors } from './transcodings.errors.js';
import { UNAVAILABLE_AFTER_HOURS, WaitingTranscodingsRepository } from './waiting-transcodings.repository.js';

const FIND_TASK = 'look_for_unavailable_transcodings';
const END_TASK = 'end_unavailable_transcodings';

/** A worker that was only restarted is back after this time; the next search, which would postpone the end, comes later. */
const CONFIRM_AFTER_MS = 300_000;

/** Ends transcodings whose programs no worker has had for a day, if two searches some minutes apart find them. */
@Injectable()
export class UnavailableTranscodingsJob implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletionService,
    private readonly jobs: JobsService,
    private readonly transcodings: WaitingTranscodingsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(FIND_TASK, '*/10 * * * *');
    this.jobs.handle(FIND_TASK, async () => await this.find());
    this.jobs.handle<{ jobIds: string[] }>(END_TASK, async ({ jobIds }) => await this.end(jobIds));
  }

  /** Schedules the end of unavailable transcodings. */
  async find(): Promise<void> {
    const jobIds = await this.transcodings.findUnavailable();
    const runAt = new Date(this.clock.now().getTime() + CONFIRM_AFTER_MS);
    if (jobIds.length > 0) await this.jobs.add(END_TASK, { jobIds }, { key: END_TASK, runAt });
  }

  /** Ends those of the transcodings that are still unavailable. */
  async end(ids: readonly string[]): Promise<void> {
    for (const { programs, missing, refused, ...transcoding } of await this.transcodings.findStillUnavailable(ids)) {
      const sentence = `${describeMissing(missing.length > 0 ? missing : programs, refused)} It waited for ${UNAVAILABLE_AFTER_HOURS} hours.`;
      await this.completion.complete(transcoding, null, failure(transcodingEndErrors.format_unavailable(sentence)));
    }
  }
}
