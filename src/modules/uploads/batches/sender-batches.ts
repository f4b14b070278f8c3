import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/time/index.js';
import { assertMayFinish, type Sender, unknownUpload } from './sender.js';
import type { UploadBatch } from './upload-batch.entity.js';
import { UploadBatchesRepository } from './upload-batches.repository.js';

/** Batches as their senders name them. */
@Injectable()
export class SenderBatches {
  constructor(
    private readonly batches: UploadBatchesRepository,
    private readonly clock: Clock,
  ) {}

  /** The batch of this uploadId, and of this dropsite if one is named. Throws `not_found`, and what assertMayFinish throws. */
  async get(sender: Sender, uploadId: string, dropsiteId?: number): Promise<UploadBatch> {
    const batch = await this.batches.findForSender(sender, uploadId);
    if (!batch || batch.dropsiteId !== (dropsiteId ?? batch.dropsiteId)) throw unknownUpload();
    assertMayFinish(sender, batch);
    return batch;
  }

  /** Its upload begins. False when that was said before, or it has ended. */
  async announce(id: number): Promise<boolean> {
    return await this.batches.announce(id, this.clock.now());
  }
}
