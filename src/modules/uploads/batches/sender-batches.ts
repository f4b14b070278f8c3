import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/time/index.js';
import { assertMayFinish, clientMismatch, type Sender, unknownUpload } from './sender.js';
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

  /**
   * The batch of this uploadId at a dropsite, for whoever only wants to know how it is doing: the id cannot be guessed, so it suffices, also when
   * the session has ended. Throws `not_found`, or `client_mismatch` without the dropsite's client.
   */
  async getForWatching(clientId: string | null, uploadId: string, dropsiteId: number): Promise<UploadBatch> {
    const batch = await this.batches.findForSender({ caller: null, clientId }, uploadId);
    if (batch?.dropsiteId !== dropsiteId) throw unknownUpload();
    if (batch.clientId !== clientId) throw clientMismatch();
    return batch;
  }

  /** Its upload begins. False when that was said before, or it has ended. */
  async announce(id: number): Promise<boolean> {
    return await this.batches.announce(id, this.clock.now());
  }
}
