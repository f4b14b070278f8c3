import { Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { JobsService } from '../../shared/jobs/index.js';
import { BatchObjectsService } from './batches/batch-objects.service.js';
import { type MeasuredBatch, UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { UploadBytesService } from './batches/upload-bytes.service.js';

const TASK = 'measure_uploads';
const EVERY_MINUTE = '* * * * *';
const PAGE_SIZE = 100;
/** Concurrent measurements; they mostly wait for the storage. */
const CONCURRENT_BATCHES = 16;
/** A request to the storage may end some time after the credentials with which it began have expired. */
const GRACE_MS = 600_000;

/**
 * Measures all batches to which uploaders still have credentials, and removes what arrives for closed ones: credentials cannot be withdrawn, so a
 * closed batch is emptied every minute until they have expired.
 */
@Injectable()
export class UploadBytesJob implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly objects: BatchObjectsService,
    private readonly bytes: UploadBytesService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(TASK, EVERY_MINUTE);
    this.jobs.handle(TASK, async () => await this.run(this.clock.now()));
  }

  /** Performs one run, as of `now`, unless another process performs one. Throws `storage_unavailable`. */
  async run(now: Date): Promise<void> {
    await this.database.runExclusively(TASK, async () => await this.runExclusively(new Date(now.getTime() - GRACE_MS)));
  }

  private async runExclusively(since: Date): Promise<void> {
    const limit = pLimit(CONCURRENT_BATCHES);
    const failures: unknown[] = [];
    for (let after = 0; ; ) {
      const batches = await this.batches.listInProgress(since, { after, limit: PAGE_SIZE });
      const results = await Promise.allSettled(batches.map((batch) => limit(async () => await this.measure(batch))));
      const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      failures.push(...failed);
      after = batches.at(-1)?.id ?? after;
      if (batches.length < PAGE_SIZE || failed.length === batches.length) break; // the storage does not answer
    }
    if (failures.length > 0) throw failures[0];
  }

  private async measure(batch: MeasuredBatch): Promise<void> {
    if (!(await this.bytes.countArrived(batch))) await this.objects.discard(batch);
  }
}
