import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';

/** An item whose success has just been recorded. */
export interface SuccessfulItem {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'dropsiteId' | 'userId' | 'sessionId' | 'createdAt'>;
  /** Bytes, as announced and as stored. */
  readonly announcedBytes: number;
  readonly size: number;
}

/** Called in the transaction that records the success of an item; an exception rolls the success back. */
export type ItemSuccessListener = (item: SuccessfulItem) => Promise<void>;

/** Where higher modules subscribe to the success of items. */
@Injectable()
export class ItemSuccessListeners {
  private readonly all: ItemSuccessListener[] = [];

  /** Register before the application starts. */
  register(listener: ItemSuccessListener): void {
    this.all.push(listener);
  }

  async notify(item: SuccessfulItem): Promise<void> {
    for (const listener of this.all) await listener(item);
  }
}

/** A batch that has just been completed. */
export interface CompletedBatch {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'userId' | 'clientId' | 'dropsiteId'>;
  /** Of the items that arrived. */
  readonly mediaContainerIds: readonly number[];
  readonly caller: Caller | null;
}

/** Called in the transaction that completes a batch; an exception rolls the completion back. */
export type BatchCompletionListener = (completed: CompletedBatch) => Promise<void>;

/** Where higher modules subscribe to the completion of batches. */
@Injectable()
export class BatchCompletionListeners {
  private readonly all: BatchCompletionListener[] = [];

  /** Register before the application starts. */
  register(listener: BatchCompletionListener): void {
    this.all.push(listener);
  }

  async notify(completed: CompletedBatch): Promise<void> {
    for (const listener of this.all) await listener(completed);
  }
}
