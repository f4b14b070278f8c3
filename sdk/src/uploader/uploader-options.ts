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

/** What an upload keeps for the case that its page or program ends. */
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
  /** How long to go on without any response, in milliseconds; by default without end. */
  readonly patienceMs?: number;
  /** Whether the open files of a batch that the service has ended move to a new one; otherwise the upload stops with its error. */
  readonly replacesEnded?: boolean;
  /** The state that a page shows has changed. */
  readonly onChange?: () => void;
  readonly onPhase?: (phase: Phase) => void;
  /** Called with all bytes that were sent, including those that were lost. */
  readonly onBytes?: (bytes: number) => void;
  /** The batches are prepared and nothing is sent yet; an error stops the upload. */
  readonly onPrepared?: (files: readonly UploadFile[]) => void;
  /** The file is sent now. */
  readonly onFile?: (file: UploadFile) => void;
}
