import { SharedWork } from '../shared-work.js';
import type { ProcessedItem, UploadFile } from './upload-file.js';

/** Maximum number of files that the service accepts in one batch. */
export const MAX_BATCH_ITEMS = 1_000;
/** Time before their expiry at which credentials are renewed, so that a waiting request still starts in time. */
const MARGIN_MS = 60_000;
/** The same for short-lived credentials, as a share of their lifetime. */
const MARGIN_PART = 0.2;

export interface UploadRequest {
  readonly uploadId: string;
  readonly payload: readonly Record<string, unknown>[];
}

/** The answer of createUpload, as far as an upload needs it. */
export interface UploadDocument {
  readonly processed: readonly ProcessedItem[];
  readonly error: readonly { readonly index: number; readonly code: string; readonly message: string }[];
  readonly transferAcceleration: boolean;
}

/** Up to a thousand files of an upload that are announced together. */
export class Batch {
  isCompleted = false;
  readonly uploadId: string;
  /** In the order of the request, because a repeated request must be identical. */
  files: readonly UploadFile[];
  readonly #preparing = new SharedWork<void>();
  #receivedAt = 0;

  constructor(uploadId: string, files: readonly UploadFile[]) {
    this.uploadId = uploadId;
    this.files = files;
  }

  static split(files: readonly UploadFile[]): Batch[] {
    return Array.from({ length: Math.ceil(files.length / MAX_BATCH_ITEMS) }, (_, index) => {
      return new Batch(crypto.randomUUID(), files.slice(index * MAX_BATCH_ITEMS, (index + 1) * MAX_BATCH_ITEMS));
    });
  }

  /** Whether no further file of the batch will arrive. */
  get isDone(): boolean {
    return this.files.every((file) => !file.isOpen);
  }

  /** Requests the locations of the files from the service. Concurrent calls share one request. `now`: milliseconds. */
  prepare(createUpload: (request: UploadRequest) => Promise<UploadDocument>, now: number): Promise<void> {
    return this.#preparing.get(async () => {
      const request = { uploadId: this.uploadId, payload: this.files.map((file) => file.announce()) };
      this.#fill(await createUpload(request), now);
    });
  }

  /** Whether the credentials of a file are valid for long enough. */
  hasCredentials({ item }: UploadFile, now: number): boolean {
    if (!item?.credentials) return false;
    const end = Date.parse(item.credentials.Expiration);
    return now < end - Math.min(MARGIN_MS, (end - this.#receivedAt) * MARGIN_PART);
  }

  #fill({ processed, error, transferAcceleration }: UploadDocument, now: number): void {
    this.#receivedAt = now;
    for (const item of processed) {
      const file = this.files[item.index];
      if (!file) continue;
      Object.assign(file, { item, accelerated: transferAcceleration });
      if (!item.credentials) file.progress = { ...file.progress, stored: true }; // its success was reported already
    }
    for (const { index, code, message } of error) {
      const file = this.files[index];
      if (!file) continue;
      if (code === 'duplicate') file.duplicate = message;
      else if (file.isOpen) Object.assign(file, { state: 'refused', problem: message, problemCode: code });
    }
  }
}
