import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { EventOutbox } from '../../../shared/events/index.js';
import { Activities } from '../../activity/index.js';

/** How a transcoding job ended. */
export interface TranscodingEnd {
  readonly jobId: string;
  readonly customerId: number;
  readonly mediaContainerId: number;
  /** The rendition; of a job that failed its original. */
  readonly mediaId: number;
  readonly formatId: number;
  /** Why it failed, as an error code and a sentence for a person; null: it did not. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** The end of transcoding jobs. */
@Injectable()
export class TranscodingCompletion {
  constructor(
    private readonly activities: Activities,
    private readonly database: Database,
    private readonly outbox: EventOutbox,
  ) {}

  /** Ends a job and publishes `event:transcoderJobComplete` with it; false, and nothing done, when it had ended before. */
  async complete({ customerId, failure, ...end }: TranscodingEnd): Promise<boolean> {
    const { jobId, mediaContainerId, mediaId, formatId } = end;
    return await this.database.transaction(async () => {
      const ended = await this.activities.finish(jobId, failure ?? { result: { ok: true, mediaContainerId, mediaId, formatId } });
      if (!ended) return false;
      const payload = { jobId, mediaContainerId, mediaId, formatId, status: failure ? 'failed' : 'successful' } as const;
      await this.outbox.publish({ name: 'event:transcoderJobComplete', customerId, method: 'update', payload });
      return true;
    });
  }
}
