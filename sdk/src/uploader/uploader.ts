import { ProblemError } from '../problem-error.js';
import type { Batch } from './batch.js';
import { Connection } from './connection.js';
import { Interrupted } from './errors.js';
import { RequestSlots } from './request-slots.js';
import { sendFile, type Transfer, type TransferContext } from './send-file.js';
import { ServerClock } from './server-clock.js';
import { ServiceCalls } from './service-calls.js';
import { StorageClient } from './storage-client.js';
import { itemOf, targetOf, UploadBatches } from './upload-batches.js';
import type { UploadFile } from './upload-file.js';
import type { Phase, UploaderOptions } from './uploader-options.js';

/** Concurrent requests to the storage; more do not make an upload faster. */
const PARALLEL_REQUESTS = 4;
/** Concurrent files; more than requests, because small files mostly wait for the service. */
const PARALLEL_FILES = 6;
/** Bytes in flight are lost when the page is reloaded: at most this share of all bytes, or the minimum below. */
const MAX_IN_FLIGHT_SHARE = 0.08;
const MIN_IN_FLIGHT_BYTES = 5 * 1024 * 1024;
/** A pause lets a request finish whose remaining time is shorter. */
const NEARLY_DONE_MS = 2_000;

/** Uploads files: announces, sends and reports them, and completes the batches. One instance per upload. */
export class Uploader {
  phase: Phase = 'preparing';
  problem: Error | null = null;
  /** Whether files were sent; before that the upload can be started again without loss. */
  hasStarted = false;
  /** Completion time by the service's clock, in milliseconds. */
  deliveredAt: number | null = null;
  readonly connection: Connection;

  readonly #options: UploaderOptions;
  readonly #clock: ServerClock;
  readonly #storage: StorageClient;
  readonly #calls: ServiceCalls;
  readonly #batches: UploadBatches;
  readonly #transfers = new Set<Transfer>();
  #slots = new RequestSlots({ requests: PARALLEL_REQUESTS, bytes: MIN_IN_FLIGHT_BYTES });
  #waitingForResume: (() => void)[] = [];
  #bytes = 0;
  /** Incremented when the work is interrupted, so that earlier work does not continue. */
  #run = 0;
  #isStopped = false;

  constructor(options: UploaderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? new ServerClock();
    this.#storage = options.storage ?? new StorageClient(this.#clock);
    this.connection = new Connection({ onChange: () => this.#changed() });
    this.#calls = new ServiceCalls(options.service, this.connection, options.patienceMs);
    const { service, memory, replacesEnded = false } = options;
    const onReset = (file: UploadFile) => void this.note(file, {});
    this.#batches = new UploadBatches({ service, calls: this.#calls, clock: this.#clock, memory, replacesEnded, onReset });
  }

  get batches(): readonly Batch[] {
    return this.#batches.all;
  }

  get files(): readonly UploadFile[] {
    return this.batches.flatMap(({ files }) => files);
  }

  /** Whether the upload can continue after a reload. */
  get isRemembered(): boolean {
    return this.#batches.isRemembered;
  }

  /**
   * Announces files, including those of an earlier visit, and starts; resolves when the upload is complete, stuck or stopped, or waits for a
   * decision. Batches of an earlier visit have their ids.
   */
  async start(earlier: readonly Batch[], added: readonly UploadFile[]): Promise<void> {
    await this.#guard(async () => {
      this.#to('preparing');
      await this.#calls.open();
      await this.#batches.open(earlier, added);
      this.#options.onPrepared?.(this.files);
      if (added.some(({ duplicate, isOpen }) => duplicate && isOpen)) return this.#to('deciding');
      await this.#upload();
    });
  }

  /** Continues after the person has decided about the duplicates. */
  async decide(leftOut: readonly UploadFile[]): Promise<void> {
    await this.#guard(async () => {
      this.#leaveOut(leftOut);
      await this.#upload();
    });
  }

  pause(): void {
    if (this.phase !== 'uploading') return;
    this.#to('paused');
    for (const transfer of this.#transfers) if (!isNearlyDone(transfer)) transfer.controller.abort();
  }

  resume(): void {
    if (this.phase !== 'paused') return;
    this.#to('uploading');
    for (const go of this.#waitingForResume.splice(0)) go();
  }

  /** Retries failed files; also continues a stopped upload. */
  async retry(): Promise<void> {
    await this.#guard(async () => {
      this.problem = null;
      const again = this.files.filter(({ state }) => state === 'failed' || state === 'uploading');
      for (const file of again) Object.assign(file, { state: 'waiting', problem: '', problemCode: '' });
      await this.#upload();
    });
  }

  /** Completes the upload without the failed files. */
  async finishWithout(): Promise<void> {
    await this.#guard(async () => {
      this.#leaveOut(this.files.filter(({ state }) => state === 'failed'));
      await this.#complete();
    });
  }

  /** Ends all work immediately. Bytes that have arrived remain, so that another upload of the same batches can continue. */
  stop(): void {
    this.#isStopped = true;
    this.#calls.stop();
    for (const transfer of this.#transfers) transfer.controller.abort();
    for (const go of this.#waitingForResume.splice(0)) go();
    this.connection.tryNow();
  }

  /** Cancels the upload. Delivered files remain; incomplete multipart uploads are aborted. */
  async giveUp(): Promise<void> {
    this.stop();
    this.#options.memory?.clear?.();
    const halves = this.files.filter(({ progress, item }) => progress.multipartId && !progress.stored && item);
    await Promise.allSettled(halves.map((file) => this.#storage.abortMultipart(targetOf(file), file.progress.multipartId ?? '')));
  }

  /** Bytes and files to deliver, and those that were sent. */
  get amounts(): { total: number; sent: number; files: number; delivered: number } {
    const counted = this.files.filter((file) => file.isOpen || file.state === 'delivered');
    return {
      total: counted.reduce((sum, { size }) => sum + size, 0),
      sent: counted.reduce((sum, { sent }) => sum + sent, 0),
      files: counted.length,
      delivered: counted.filter(({ state }) => state === 'delivered').length,
    };
  }

  /** Adds to the stored progress of a file. */
  note(file: UploadFile, more: UploadFile['progress']): void | Promise<void> {
    file.progress = { ...file.progress, ...more };
    const noted = this.phase !== 'delivered' && !this.#isStopped ? this.#options.memory?.note(file) : undefined;
    this.#changed();
    return noted;
  }

  /** Runs work; if it fails, the phase becomes `stopped`. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Interrupted) return;
      this.problem = error as Error;
      this.#run += 1; // ends the requests in flight
      for (const transfer of this.#transfers) transfer.controller.abort();
      this.#to('stopped');
    }
  }

  async #upload(): Promise<void> {
    const { total } = this.amounts;
    this.#slots = new RequestSlots({ requests: PARALLEL_REQUESTS, bytes: Math.max(MIN_IN_FLIGHT_BYTES, total * MAX_IN_FLIGHT_SHARE) });
    await this.#batches.announce();
    this.hasStarted = true;
    this.#to('uploading');
    const queue = this.files.filter(({ state }) => state === 'waiting');
    const work = async () => {
      for (let file = queue.shift(); file; file = queue.shift()) await this.#deliver(file);
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL_FILES, queue.length) }, work));
    if (this.files.some(({ state }) => state === 'failed')) return this.#to('stuck');
    await this.#complete();
  }

  async #deliver(file: UploadFile): Promise<void> {
    const run = this.#run;
    file.state = 'uploading';
    this.#changed();
    try {
      this.#options.onFile?.(file);
      await sendFile(file, this.#transferContext(run));
      await this.#calls.run(() => this.#options.service.itemSuccess(itemOf(file)));
      file.state = 'delivered';
      await this.note(file, { delivered: true });
    } catch (error) {
      if (error instanceof Interrupted || isFinal(error)) throw error;
      if (error instanceof ProblemError && error.code === 'object_missing') {
        Object.assign(file, { progress: {}, arrived: 0, arrivedParts: new Map() }); // the storage does not have it
        await this.note(file, {});
      }
      Object.assign(file, { state: 'failed', problem: explain(error), problemCode: error instanceof ProblemError ? error.code : '' });
      this.#changed();
    }
  }

  async #complete(): Promise<void> {
    const { memory } = this.#options;
    if (this.amounts.files === 0) {
      // Every file was refused or left out; a completion would notify the recipient of an empty upload.
      memory?.clear?.();
      return this.#to('nothing');
    }
    this.#to('completing');
    await this.#batches.complete();
    this.deliveredAt = this.#clock.now();
    memory?.clear?.();
    this.#to('delivered');
  }

  #transferContext(run: number): TransferContext {
    return {
      storage: this.#storage,
      clock: this.#clock,
      slots: this.#slots,
      mayRun: () => this.#mayRun(run),
      fail: (error, reason) => this.#calls.fail(error, reason),
      restore: () => this.connection.restore(),
      isThere: (file) => this.#isThere(file),
      target: (file, refused) => this.#batches.target(file, refused),
      watch: (transfer) => {
        this.#transfers.add(transfer);
        return () => this.#transfers.delete(transfer);
      },
      remember: (file) => this.note(file, {}),
      count: (bytes) => {
        this.#bytes += bytes;
        this.#options.onBytes?.(this.#bytes);
      },
    };
  }

  /** Whether the storage has the whole object. */
  async #isThere(file: UploadFile): Promise<boolean> {
    try {
      // Without a location the file has not been announced yet; preparing it returns the location with the credentials.
      if (!file.item) await this.#batches.target(file, null);
      await this.#calls.run(() => this.#options.service.itemSuccess(itemOf(file)));
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'object_missing') return false;
      throw error;
    }
  }

  async #mayRun(run: number): Promise<void> {
    for (;;) {
      if (this.#isStopped || run !== this.#run) throw new Interrupted();
      if (this.phase === 'paused') await new Promise<void>((resolve) => this.#waitingForResume.push(resolve));
      else if (this.connection.retryAt !== null) await this.connection.ready();
      else return;
    }
  }

  #leaveOut(files: readonly UploadFile[]): void {
    for (const file of files) {
      file.state = 'left-out';
      void this.note(file, { leftOut: true });
    }
  }

  #to(phase: Phase): void {
    this.phase = phase;
    this.#options.onPhase?.(phase);
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange?.();
  }
}

/** Codes of errors that affect all files: no response arrived, or the session cannot be renewed. */
const FINAL_CODES = new Set(['network_error', 'invalid_grant', 'invalid_client']);

const isFinal = (error: unknown): boolean =>
  error instanceof ProblemError && (FINAL_CODES.has(error.code) || ([401, 404, 410].includes(error.status) && !isOfStorage(error)));

const isOfStorage = ({ code }: ProblemError): boolean => code === 'storage_refused';

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function isNearlyDone({ size, sent, startedAt }: Transfer): boolean {
  if (sent === 0) return size === 0;
  return ((Date.now() - startedAt) / sent) * (size - sent) < NEARLY_DONE_MS;
}
