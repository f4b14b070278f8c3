import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';

/** A correction of the bytes that a batch announced. */
export interface BytesCorrection {
  readonly batch: Pick<UploadBatch, 'customerId' | 'dropsiteId' | 'userId' | 'sessionId' | 'createdAt'>;
  /** Bytes that arrived beyond the announced ones; negative: announced bytes that did not arrive. */
  readonly bytes: number;
}

/** Called in the transaction that records the correction; an exception rolls it back. */
export type BytesCorrectionListener = (correction: BytesCorrection) => Promise<void>;

/** The registry through which higher modules subscribe to corrections of announced bytes. */
@Injectable()
export class BytesCorrectionListeners {
  private readonly all: BytesCorrectionListener[] = [];

  /** Registers a listener; must be called before the application starts. */
  register(listener: BytesCorrectionListener): void {
    this.all.push(listener);
  }

  async notify(correction: BytesCorrection): Promise<void> {
    for (const listener of this.all) await listener(correction);
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
