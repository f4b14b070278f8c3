import { ProblemError } from '../problem-error.js';
import { Batch } from './batch.js';
import { fileUnreadable } from './errors.js';
import type { ServerClock } from './server-clock.js';
import type { ServiceCalls, UploadService } from './service-calls.js';
import type { Credentials, Target } from './storage-client.js';
import type { ProcessedItem, UploadFile } from './upload-file.js';
import type { UploadMemory } from './uploader-options.js';

interface BatchesContext {
  readonly service: UploadService;
  readonly calls: ServiceCalls;
  readonly clock: ServerClock;
  readonly memory: UploadMemory | undefined;
  readonly replacesEnded: boolean;
  /** Called when a file starts again from the beginning, to store that. */
  readonly onReset: (file: UploadFile) => void;
}

/** The batches of an upload at the service: prepared, announced, replaced when the service has ended them, and completed. */
export class UploadBatches {
  all: Batch[] = [];
  /** Whether the upload can continue after a reload. */
  isRemembered = false;
  /** Batches that have not been announced to the recipient. */
  #unannounced: Batch[] = [];
  readonly #context: BatchesContext;

  constructor(context: BatchesContext) {
    this.#context = context;
  }

  /** Prepares the batches of an earlier visit, which have their ids, and new ones of the added files. */
  async open(earlier: readonly Batch[], added: readonly UploadFile[]): Promise<void> {
    this.#unannounced = Batch.split(added);
    this.all = [...earlier, ...this.#unannounced];
    for (const batch of [...this.all]) if (!batch.isDone) await this.#prepare(batch);
    this.#save();
  }

  /** Announces the upload to the recipient; failures are ignored. */
  async announce(): Promise<void> {
    for (const { uploadId, files } of this.#unannounced.splice(0)) {
      const open = files.filter(({ isOpen }) => isOpen);
      if (open.length === 0) continue;
      const totalSize = open.reduce((sum, { size }) => sum + size, 0);
      await this.#context.service.uploadStarted?.({ uploadId, totalSize, items: open.length }).catch(() => {});
    }
  }

  /** The location of a file in the storage, with valid credentials other than `refused`. */
  async target(file: UploadFile, refused: Credentials | null): Promise<Target> {
    const batch = this.all.find(({ files }) => files.includes(file));
    if (!batch) throw new Error(`${file.path} does not belong to a batch.`);
    if (!batch.hasCredentials(file, this.#context.clock.now()) || file.item?.credentials === refused) await this.#prepare(batch);
    return targetOf(file);
  }

  async complete(): Promise<void> {
    const { calls, service } = this.#context;
    for (const batch of this.all) {
      if (batch.isCompleted) continue;
      await calls.run(() => service.uploadComplete(batch.uploadId));
      batch.isCompleted = true;
      this.#save();
    }
  }

  /** Prepares a batch. A batch that the service has ended in the meantime, because it was inactive, is replaced. */
  async #prepare(batch: Batch): Promise<void> {
    const { calls, clock, replacesEnded, service } = this.#context;
    try {
      await calls.run(() => batch.prepare((request) => service.createUpload(request), clock.now()));
    } catch (error) {
      const isEnded = error instanceof ProblemError && ['upload_completed', 'upload_id_conflict'].includes(error.code);
      if (!isEnded || !replacesEnded) throw error;
      this.#replace(batch);
      if (error.code === 'upload_completed') batch.isCompleted = true;
      for (const one of this.all.filter(({ files }) => files.some(({ item, isOpen }) => isOpen && !item))) await this.#prepare(one);
      this.#save();
    }
  }

  #replace(batch: Batch): void {
    const open = batch.files.filter(({ isOpen }) => isOpen);
    if (open.length === 0) return; // a concurrent call has replaced it
    for (const file of open) {
      Object.assign(file, { progress: {}, arrived: 0, arrivedParts: new Map(), item: null });
      this.#context.onReset(file);
    }
    batch.files = batch.files.filter((file) => !open.includes(file));
    this.all.push(new Batch(crypto.randomUUID(), open));
  }

  #save(): void {
    this.isRemembered = this.#context.memory?.save?.(this.all) ?? false;
  }
}

/** The location of a file that the service has prepared; throws if it has not. */
export function itemOf({ item }: UploadFile): ProcessedItem {
  if (!item) throw fileUnreadable('The service returned no location for the file.');
  return item;
}

/** Where a prepared file is uploaded. */
export const targetOf = (file: UploadFile): Target => ({ ...itemOf(file), accelerated: file.accelerated });
