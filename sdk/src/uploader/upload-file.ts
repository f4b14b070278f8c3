import { extensionOf, type MediaType } from './media-type.js';
import type { Target } from './storage-client.js';

/**
 * waiting: not started; uploading; delivered: its success was reported; failed: can be retried; refused: by the service,
 * permanently; left-out: by the person.
 */
export type FileState = 'waiting' | 'uploading' | 'delivered' | 'failed' | 'refused' | 'left-out';

/** The progress of a file that is stored for a reload. `isBegun`: it may be in the storage; `stored`: its object is complete there. */
export interface Progress {
  readonly multipartId?: string;
  readonly etag?: string;
  readonly sha256?: string;
  readonly isBegun?: boolean;
  readonly stored?: boolean;
  readonly delivered?: boolean;
  readonly leftOut?: boolean;
}

/** A file that createUpload has prepared. */
export interface ProcessedItem extends Omit<Target, 'accelerated'> {
  readonly index: number;
  /** The media container. */
  readonly id: number;
}

/** The content to send: a Blob, or an object that reads its parts from elsewhere. */
export interface FileSource {
  readonly size: number;
  readonly type: string;
  slice(start: number, end: number, contentType?: string): Blob;
}

export interface UploadFileOptions {
  /** Identifies the file in the stored progress of the upload. */
  readonly id: string;
  /** The name, with the path in a chosen folder if there is one. */
  readonly path: string;
  readonly size: number;
  readonly lastModified?: number;
  readonly type: MediaType;
  readonly file?: FileSource | null;
  /** Further fields of createUpload. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A file that is to be uploaded, and its state. */
export class UploadFile {
  state: FileState = 'waiting';
  /** Why it failed or was refused, in one sentence, and the code of the error. */
  problem = '';
  problemCode = '';
  /** Why it seems to be a duplicate; empty if it does not. */
  duplicate = '';
  /** Its location; null until the service has prepared it. */
  item: ProcessedItem | null = null;
  accelerated = false;
  /** Bytes that have arrived and are not sent again. */
  arrived = 0;
  /** Entity tags of the parts that have arrived; empty where the storage hides them. */
  arrivedParts = new Map<number, string>();
  progress: Progress = {};
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly lastModified: number;
  readonly type: MediaType;
  /** The content; null after a reload, until the person has chosen the file again. */
  file: FileSource | null;
  readonly #fields: Readonly<Record<string, unknown>>;
  /** Sent bytes of the requests in flight. */
  readonly #inFlight = new Map<object, number>();

  constructor({ id, path, size, lastModified = 0, type, file = null, fields = {} }: UploadFileOptions) {
    this.id = id;
    this.path = path;
    this.size = size;
    this.lastModified = lastModified;
    this.type = type;
    this.file = file;
    this.#fields = fields;
  }

  /** Bytes that were sent, without those of failed requests. */
  get sent(): number {
    if (this.state === 'delivered' || this.progress.stored) return this.size;
    let inFlight = 0;
    for (const bytes of this.#inFlight.values()) inFlight += bytes;
    return Math.min(this.size, this.arrived + inFlight);
  }

  /** Whether it still has to be delivered. */
  get isOpen(): boolean {
    return this.state === 'waiting' || this.state === 'uploading' || this.state === 'failed';
  }

  /** The file as createUpload expects it. Repeated calls must return the same value, because the service compares repeated requests. */
  announce(): Record<string, unknown> {
    const { type, path: fileName, size: fileSize } = this;
    return { type, fileName, originalFileExtension: extensionOf(fileName), fileSize, ...this.#fields };
  }

  /** Records the sent bytes of a request in flight. */
  trackRequest(request: object, sent: number): void {
    this.#inFlight.set(request, sent);
  }

  /** Records the end of a request, of which `arrived` bytes count as arrived. */
  finishRequest(request: object, arrived: number): void {
    this.#inFlight.delete(request);
    this.arrived += arrived;
  }
}
