import type { Batch } from './batch.js';
import type { ServerClock } from './server-clock.js';
import type { UploadService } from './service-calls.js';
import type { StorageClient } from './storage-client.js';
import type { UploadFile } from './upload-file.js';

/**
 * preparing: the service prepares the batches; deciding: the person decides about duplicates; stuck: some files failed, the person decides;
 * stopped: the upload cannot continue, `problem` is the reason; nothing: no file is left to deliver.
 */
export type Phase = 'preparing' | 'deciding' | 'uploading' | 'paused' | 'stuck' | 'completing' | 'delivered' | 'nothing' | 'stopped';

/** Stores what an upload needs to continue after its page or program has ended. */
export interface UploadMemory {
  /** Stores the list of files; false if that is not possible. */
  save?(batches: readonly Batch[]): boolean;
  /** Stores the progress of one file. */
  note(file: UploadFile): void | Promise<void>;
  clear?(): void;
}

export interface UploaderOptions {
  readonly service: UploadService;
  readonly clock?: ServerClock;
  readonly storage?: StorageClient;
  readonly memory?: UploadMemory;
  /** How long to retry without any response, in milliseconds; by default without limit. */
  readonly patienceMs?: number;
  /** Whether the open files of a batch that the service has ended move to a new one; otherwise the upload stops with its error. */
  readonly replacesEnded?: boolean;
  /** Called when the state that a page shows has changed. */
  readonly onChange?: () => void;
  readonly onPhase?: (phase: Phase) => void;
  /** Called with all bytes that were sent, including those that were lost. */
  readonly onBytes?: (bytes: number) => void;
  /** Called when the batches are prepared and before anything is sent; an error that it throws stops the upload. */
  readonly onPrepared?: (files: readonly UploadFile[]) => void;
  /** Called when the file starts to be sent. */
  readonly onFile?: (file: UploadFile) => void;
}
