import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import type { UploadBatch } from '../batches/upload-batch.entity.js';

/** A batch that was completed just now. */
export interface CompletedBatch {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'userId' | 'clientId' | 'dropsiteId'>;
  /** Of the items that arrived. */
  readonly mediaContainerIds: readonly number[];
  readonly caller: Caller | null;
}

/** Hears of every completed batch inside the transaction that completes it: what throws takes the completion back. */
export type BatchCompletionListener = (completed: CompletedBatch) => Promise<void>;

/** Where upper modules say what they want to hear. */
@Injectable()
export class BatchCompletionListeners {
  private readonly all: BatchCompletionListener[] = [];

  /** Register before the application starts. */
  register(listener: BatchCompletionListener): void {
    this.all.push(listener);
  }

  async tell(completed: CompletedBatch): Promise<void> {
    for (const listener of this.all) await listener(completed);
  }
}
