import type { Caller } from '../../shared/auth/index.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';

/** A correction of the bytes that a batch announced. */
export interface BytesCorrection {
  readonly batch: Pick<UploadBatch, 'customerId' | 'dropsiteId' | 'userId' | 'sessionId' | 'createdAt'>;
  /** Bytes that arrived beyond the announced ones; negative: announced bytes that did not arrive. */
  readonly bytes: number;
}

/** A batch that has just been completed. */
export interface CompletedBatch {
  readonly batch: Pick<UploadBatch, 'uploadId' | 'customerId' | 'userId' | 'clientId' | 'dropsiteId'>;
  /** The media containers of the items that arrived. */
  readonly mediaContainerIds: readonly number[];
  readonly caller: Caller | null;
}

/** What dropsites do about uploads. Each call is part of the transaction that records its cause; an exception rolls it back. */
export abstract class UploadListener {
  abstract bytesCorrected(correction: BytesCorrection): Promise<void>;
  abstract batchCompleted(completed: CompletedBatch): Promise<void>;
}
