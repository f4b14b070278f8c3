import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';

/** An item whose success has just been recorded. */
export interface SuccessfulItem {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'dropsiteId' | 'userId' | 'sessionId' | 'createdAt'>;
  /** The size of the item in bytes, as announced and as stored. */
  readonly announcedBytes: number;
  readonly size: number;
}

/** Called in the transaction that records the success of an item; an exception rolls the success back. */
export type ItemSuccessListener = (item: SuccessfulItem) => Promise<void>;

/** The registry through which higher modules subscribe to the success of items. */
@Injectable()
export class ItemSuccessListeners {
  private readonly all: ItemSuccessListener[] = [];

  /** Registers a listener; must be called before the application starts. */
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
  /** The media containers of the items that arrived. */
  readonly mediaContainerIds: readonly number[];
  readonly caller: Caller | null;
}

/** Called in the transaction that completes a batch; an exception rolls the completion back. */
export type BatchCompletionListener = (completed: CompletedBatch) => Promise<void>;

/** The registry through which higher modules subscribe to the completion of batches. */
@Injectable()
export class BatchCompletionListeners {
  private readonly all: BatchCompletionListener[] = [];

  /** Registers a listener; must be called before the application starts. */
  register(listener: BatchCompletionListener): void {
    this.all.push(listener);
  }

  async notify(completed: CompletedBatch): Promise<void> {
    for (const listener of this.all) await listener(completed);
  }
}
