import { Injectable } from '@nestjs/common';
import type { UploadBatch } from '../batches/upload-batch.entity.js';

/** An item whose success was recorded just now. */
export interface SuccessfulItem {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'dropsiteId' | 'userId' | 'sessionId' | 'createdAt'>;
  /** Bytes, as announced and as stored. */
  readonly announcedBytes: number;
  readonly size: number;
}

/** Hears of every item inside the transaction that records its success: what throws takes the success back. */
export type ItemSuccessListener = (item: SuccessfulItem) => Promise<void>;

/** Where upper modules say what they want to hear. */
@Injectable()
export class ItemSuccessListeners {
  private readonly all: ItemSuccessListener[] = [];

  /** Register before the application starts. */
  register(listener: ItemSuccessListener): void {
    this.all.push(listener);
  }

  async tell(item: SuccessfulItem): Promise<void> {
    for (const listener of this.all) await listener(item);
  }
}
