import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { ActivityCancellers, ActivityRemarks } from '../../activity/index.js';
import { FormatAvailability } from '../../formats/index.js';
import type { TranscodingJob } from '../jobs/transcoding-job.entity.js';
import { TranscodingQueue } from '../jobs/transcoding-queue.js';
import { ConverterWorkers } from '../tools/converter-workers.js';

const FIND_WAITING = `SELECT id, programs FROM transcoding_jobs WHERE id = ANY($1::uuid[]) AND state = 'ready'`;

/** The reason itself names folders of the machine, and is the operator's. */
const UNABLE = 'No worker can make anything at the moment; the operator finds the reason in /health/ready.';

/** What transcodings let callers do with their jobs: cancel them, and see what they wait for. */
@Injectable()
export class TranscodingActivities implements OnModuleInit {
  constructor(
    private readonly cancellers: ActivityCancellers,
    private readonly remarks: ActivityRemarks,
    private readonly queue: TranscodingQueue,
    private readonly availability: FormatAvailability,
    private readonly workers: ConverterWorkers,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.cancellers.register('transcoding', async (customerId, jobId) => await this.queue.cancel(customerId, jobId));
    this.remarks.register('transcoding', async (jobIds) => await this.remark(jobIds));
  }

  /** Of those that wait for programs that no worker has, which; of all that wait, if no worker can work. */
  private async remark(jobIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.database.query<Pick<TranscodingJob, 'id' | 'programs'>>(FIND_WAITING, [jobIds]);
    if (await this.workers.areUnable()) return new Map(rows.map(({ id }) => [id, UNABLE]));
    const remarks = rows.map(async ({ id, programs }) => [id, await this.availability.findReason(programs)] as const);
    return new Map((await Promise.all(remarks)).flatMap(([id, reason]) => (reason === null ? [] : [[id, reason]])));
  }
}
