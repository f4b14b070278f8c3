import { Batch } from './batch.js';
import { Connection } from './connection.js';
import { FileGone, Interrupted, NetworkError, ServiceProblem } from './errors.js';
import { sendFile } from './file-sender.js';
import { RequestSlots } from './request-slots.js';
import { SpeedMeter } from './speed-meter.js';
import { UploadFile } from './upload-file.js';

/** Concurrent requests to the storage; more do not make an upload faster. */
const PARALLEL_REQUESTS = 4;
/** Concurrent files; more than requests, because small files mostly wait for the service. */
const PARALLEL_FILES = 6;
/** Bytes in flight are lost when the page is reloaded: at most this share of all bytes, or the minimum below. */
const MAX_IN_FLIGHT_SHARE = 0.08;
const MIN_IN_FLIGHT_BYTES = 5 * 1024 * 1024;
/** A pause lets a request finish whose remaining time is shorter. */
const NEARLY_DONE_MS = 2_000;
/** Maximum attempts of a call that the service refuses temporarily. */
const MAX_ATTEMPTS = 8;

/**
 * preparing: the service prepares the batches; deciding: the person decides about duplicates; stuck: some files failed, the person decides;
 * stopped: the delivery cannot continue, `problem` is the reason; nothing: no file is left to deliver.
 * @typedef {'preparing' | 'deciding' | 'uploading' | 'paused' | 'stuck' | 'completing' | 'delivered' | 'nothing' | 'stopped'} Phase
 *
 * @typedef {object} Surroundings
 * @property {import('./service-client.js').ServiceClient} service
 * @property {import('./storage-client.js').StorageClient} storage
 * @property {import('./server-clock.js').ServerClock} clock
 * @property {import('./resume-store.js').ResumeStore} store
 * @property {import('./checksums.js').Checksums} checksums
 * @property {() => void} onChange called when the state that the page shows has changed
 */

/** Delivers files to a dropsite: announces, uploads and reports them, and completes the batches. One instance per delivery. */
export class Delivery {
  /** @type {Phase} */
  phase = 'preparing';
  /** @type {Error | null} */
  problem = null;
  /** @type {Batch[]} */
  batches = [];
  /** Whether the delivery can continue after a reload. */
  isRemembered = false;
  /** Whether files were sent; before that the delivery can be started again without loss. */
  hasStarted = false;
  meter = new SpeedMeter();
  startedAt = Date.now();
  /** @type {number | null} completion time by the service's clock */
  deliveredAt = null;

  #surroundings;
  #sender;
  #password;
  #connection;
  #slots = new RequestSlots({ requests: PARALLEL_REQUESTS, bytes: MIN_IN_FLIGHT_BYTES });
  /** @type {{ email: string, userId: number } | null} */
  #creator = null;
  /** @type {Promise<void> | null} */
  #opening = null;
  /** @type {(() => void)[]} */
  #waitingForResume = [];
  /** @type {Set<import('./file-sender.js').Transfer>} */
  #transfers = new Set();
  #bytes = 0;
  /** @type {Batch[]} batches that were not announced to the recipient */
  #unannounced = [];
  /** Incremented when the work is interrupted, so that earlier work does not continue. */
  #run = 0;
  #isGivenUp = false;

  /**
   * @param {Surroundings} surroundings
   * @param {{ sender: import('./service-client.js').Sender | null, password: string }} who
   */
  constructor(surroundings, { sender, password }) {
    this.#surroundings = surroundings;
    this.#sender = sender;
    this.#password = password;
    this.#connection = new Connection({ onChange: surroundings.onChange });
  }

  get connection() {
    return this.#connection;
  }

  get files() {
    return this.batches.flatMap(({ files }) => files);
  }

  /** The sender as far as known. */
  get sender() {
    return this.#sender;
  }

  /**
   * Announces files, including those of an earlier visit, and starts; resolves when the delivery is complete, stuck or stopped, or waits
   * for a decision. Batches of an earlier visit have their ids.
   * @param {Batch[]} earlier
   * @param {UploadFile[]} added
   */
  async start(earlier, added) {
    await this.#guard(async () => {
      this.#to('preparing');
      await this.#open();
      this.#unannounced = Batch.split(added);
      this.batches = [...earlier, ...this.#unannounced];
      for (const batch of [...this.batches]) if (!batch.isDone) await this.#prepare(batch);
      this.#save();
      if (added.some(({ duplicate, isOpen }) => duplicate && isOpen)) return this.#to('deciding');
      await this.#upload();
    });
  }

  /**
   * The person has decided about the duplicates.
   * @param {UploadFile[]} leftOut
   */
  async decide(leftOut) {
    await this.#guard(async () => {
      this.#leaveOut(leftOut);
      await this.#upload();
    });
  }

  pause() {
    if (this.phase !== 'uploading') return;
    this.#to('paused');
    for (const transfer of this.#transfers) if (!isNearlyDone(transfer)) transfer.controller.abort();
  }

  resume() {
    if (this.phase !== 'paused') return;
    this.meter.reset();
    this.#to('uploading');
    for (const go of this.#waitingForResume.splice(0)) go();
  }

  /** Retries failed files; also continues a stopped delivery. */
  async retry() {
    await this.#guard(async () => {
      this.problem = null;
      const again = this.files.filter(({ state }) => state === 'failed' || state === 'uploading');
      for (const file of again) Object.assign(file, { state: 'waiting', problem: '' });
      await this.#upload();
    });
  }

  /** Completes the delivery without the failed files. */
  async finishWithout() {
    await this.#guard(async () => {
      this.#leaveOut(this.files.filter(({ state }) => state === 'failed'));
      await this.#complete();
    });
  }

  /** Cancels the delivery. Delivered files remain; incomplete multipart uploads are aborted. */
  async giveUp() {
    this.#isGivenUp = true;
    for (const transfer of this.#transfers) transfer.controller.abort();
    for (const go of this.#waitingForResume.splice(0)) go();
    this.#connection.tryNow();
    const { storage, store } = this.#surroundings;
    store.clear();
    const halves = this.files.filter(({ progress, item }) => progress.multipartId && !progress.stored && item);
    await Promise.allSettled(halves.map((file) => storage.abortMultipart(targetOf(file), file.progress.multipartId ?? '')));
  }

  /** Bytes and files to deliver, and those that were sent. */
  get amounts() {
    let total = 0;
    let sent = 0;
    let files = 0;
    let delivered = 0;
    for (const { files: all } of this.batches) {
      for (const file of all) {
        if (!file.isOpen && file.state !== 'delivered') continue;
        files += 1;
        total += file.size;
        sent += file.sent;
        if (file.state === 'delivered') delivered += 1;
      }
    }
    return { total, sent, files, delivered };
  }

  /** Runs work, and turns its failure into the phase `stopped`. */
  async #guard(/** @type {() => Promise<void>} */ work) {
    try {
      await work();
    } catch (error) {
      if (error instanceof Interrupted) return;
      this.problem = /** @type {Error} */ (error);
      this.#run += 1; // ends the requests in flight
      for (const transfer of this.#transfers) transfer.controller.abort();
      this.#to('stopped');
    }
  }

  async #upload() {
    const { total } = this.amounts;
    this.#slots = new RequestSlots({ requests: PARALLEL_REQUESTS, bytes: Math.max(MIN_IN_FLIGHT_BYTES, total * MAX_IN_FLIGHT_SHARE) });
    this.meter.reset();
    await this.#announce();
    this.hasStarted = true;
    this.#to('uploading');
    const queue = this.files.filter(({ state }) => state === 'waiting');
    await Promise.all(Array.from({ length: Math.min(PARALLEL_FILES, queue.length) }, () => this.#work(queue)));
    if (this.files.some(({ state }) => state === 'failed')) return this.#to('stuck');
    await this.#complete();
  }

  /** @param {UploadFile[]} queue */
  async #work(queue) {
    for (let file = queue.shift(); file; file = queue.shift()) await this.#deliver(file);
  }

  /** @param {UploadFile} file */
  async #deliver(file) {
    const { checksums, service } = this.#surroundings;
    const run = this.#run;
    file.state = 'uploading';
    this.#surroundings.onChange();
    try {
      if (file.file && !file.progress.sha256) checksums.add(file.uuid, file.file, (sha256) => this.#note(file, { sha256 }));
      await sendFile(file, this.#transferContext(run));
      await this.#callWithRetry(() => service.itemSuccess(itemOf(file)));
      file.state = 'delivered';
      this.#note(file, { delivered: true });
    } catch (error) {
      if (error instanceof Interrupted || isFinal(error)) throw error;
      if (error instanceof ServiceProblem && error.code === 'object_missing') file.progress = {}; // the storage does not have it
      Object.assign(file, { state: 'failed', problem: explain(error) });
      this.#surroundings.onChange();
    }
  }

  /** Every file was refused or left out; a completion would notify the recipient of an empty upload. */
  #nothing() {
    this.#surroundings.store.clear();
    this.#to('nothing');
  }

  async #complete() {
    const { service, store, clock } = this.#surroundings;
    if (this.amounts.files === 0) return this.#nothing();
    this.#to('completing');
    for (const batch of this.batches) {
      if (batch.isCompleted) continue;
      await this.#callWithRetry(() => service.uploadComplete(batch.uploadId));
      batch.isCompleted = true;
      this.#save();
    }
    this.deliveredAt = clock.now();
    store.clear();
    this.#to('delivered');
  }

  /**
   * The location of a file in the storage, with valid credentials.
   * @param {UploadFile} file
   * @param {object | null} refused
   */
  async #target(file, refused) {
    const batch = this.#batchOf(file);
    const { clock } = this.#surroundings;
    if (!batch.hasCredentials(file, clock.now()) || file.item?.credentials === refused) await this.#prepare(batch);
    return targetOf(file);
  }

  /**
   * Prepares a batch. A batch that the service has ended in the meantime, because it was inactive, is replaced.
   * @param {Batch} batch
   */
  async #prepare(batch) {
    const { service, clock } = this.#surroundings;
    try {
      await this.#callWithRetry(() => batch.prepare((request) => this.#create(service, request), clock.now()));
    } catch (error) {
      if (!(error instanceof ServiceProblem) || !['upload_completed', 'upload_id_conflict'].includes(error.code)) throw error;
      this.#replace(batch);
      if (error.code === 'upload_completed') batch.isCompleted = true;
      for (const one of this.batches.filter(({ files }) => files.some(({ item, isOpen }) => isOpen && !item))) await this.#prepare(one);
      this.#save();
    }
  }

  /**
   * @param {import('./service-client.js').ServiceClient} service
   * @param {{ uploadId: string, payload: object[] }} request
   */
  async #create(service, request) {
    return await service.createUpload({ ...request, password: this.#sender ? '' : this.#password, creator: this.#creator });
  }

  /** @param {Batch} batch */
  #replace(batch) {
    const open = batch.files.filter(({ isOpen }) => isOpen);
    if (open.length === 0) return; // a concurrent call has replaced it
    for (const file of open)
      Object.assign(file, { uuid: crypto.randomUUID(), progress: {}, arrived: 0, arrivedParts: new Map(), item: null });
    batch.files = batch.files.filter((file) => !open.includes(file));
    this.batches.push(new Batch(crypto.randomUUID(), open));
  }

  /** Announces the upload to the recipient; failures are ignored. */
  async #announce() {
    for (const { uploadId, files } of this.#unannounced.splice(0)) {
      const open = files.filter(({ isOpen }) => isOpen);
      if (open.length === 0) continue;
      const totalSize = open.reduce((sum, { size }) => sum + size, 0);
      const notice = { uploadId, totalSize, items: open.length };
      await this.#surroundings.service.uploadStarted(notice).catch(() => {});
    }
  }

  /** Opens the dropsite; concurrent calls open it once. */
  async #open() {
    this.#opening ??= this.#callWithRetry(() => this.#openNow(), { reopens: false }).finally(() => {
      this.#opening = null;
    });
    await this.#opening;
  }

  async #openNow() {
    this.#creator = await this.#surroundings.service.open({ sender: this.#sender, password: this.#password });
    // A generated address too: a new session needs it for the same sender.
    if (this.#sender && this.#creator) this.#sender = { ...this.#sender, email: this.#creator.email };
  }

  /**
   * Calls the service, and retries temporary failures.
   * @template T
   * @param {() => Promise<T>} call
   * @param {{ reopens?: boolean }} [options] whether a session that ended is renewed
   * @returns {Promise<T>}
   */
  async #callWithRetry(call, { reopens = true } = {}) {
    for (let tries = 1; ; tries += 1) {
      await this.#connection.ready();
      if (this.#isGivenUp) throw new Interrupted();
      try {
        const answer = await call();
        this.#connection.restore();
        return answer;
      } catch (error) {
        const isRateLimited = error instanceof ServiceProblem && error.code === 'rate_limited';
        if (error instanceof NetworkError || isRateLimited) tries -= 1;
        else if (!(error instanceof ServiceProblem) || tries >= MAX_ATTEMPTS) throw error;
        else if (reopens && ['unauthenticated', 'token_expired', 'session_required'].includes(error.code) && this.#sender && tries < 3) {
          await this.#open();
          continue;
        } else if (error.status < 500) throw error;
        if (error instanceof NetworkError) this.#connection.fail();
        else this.#connection.fail({ reason: 'busy', atLeastSeconds: error.retryAfter ?? 0 });
      }
    }
  }

  /**
   * @param {number} run
   * @returns {import('./file-sender.js').TransferContext}
   */
  #transferContext(run) {
    const { storage, clock } = this.#surroundings;
    return {
      storage,
      clock,
      slots: this.#slots,
      connection: this.#connection,
      mayRun: () => this.#mayRun(run),
      isThere: (file) => this.#isThere(file),
      target: (file, refused) => this.#target(file, refused),
      watch: (transfer) => {
        this.#transfers.add(transfer);
        return () => this.#transfers.delete(transfer);
      },
      remember: (file) => this.#note(file, {}),
      count: (bytes) => this.#count(bytes),
    };
  }

  /**
   * Whether the storage has the whole object.
   * @param {UploadFile} file
   */
  async #isThere(file) {
    try {
      await this.#callWithRetry(() => this.#surroundings.service.itemSuccess(itemOf(file)));
      return true;
    } catch (error) {
      if (error instanceof ServiceProblem && error.code === 'object_missing') return false;
      throw error;
    }
  }

  /** @param {number} run */
  async #mayRun(run) {
    for (;;) {
      if (this.#isGivenUp || run !== this.#run) throw new Interrupted();
      if (this.phase === 'paused') await new Promise((resolve) => this.#waitingForResume.push(() => resolve(undefined)));
      else if (this.#connection.retryAt !== null) await this.#connection.ready();
      else return;
    }
  }

  /** @param {number} bytes */
  #count(bytes) {
    this.#bytes += bytes;
    this.meter.add(Date.now(), this.#bytes);
  }

  /** @param {UploadFile[]} files */
  #leaveOut(files) {
    for (const file of files) {
      file.state = 'left-out';
      this.#note(file, { leftOut: true });
    }
  }

  /**
   * @param {UploadFile} file
   * @param {import('./upload-file.js').Progress} more
   */
  #note(file, more) {
    file.progress = { ...file.progress, ...more };
    if (this.phase !== 'delivered' && !this.#isGivenUp) this.#surroundings.store.note(file.uuid, file.progress);
    this.#surroundings.onChange();
  }

  #save() {
    const batches = this.batches.map(({ uploadId, isCompleted, files }) => ({ uploadId, completed: isCompleted, files }));
    this.isRemembered = this.#surroundings.store.save({ startedAt: this.startedAt, sender: this.#sender, batches });
  }

  /** @param {UploadFile} file */
  #batchOf(file) {
    const batch = this.batches.find(({ files }) => files.includes(file));
    if (!batch) throw new Error(`${file.path} is part of no batch.`);
    return batch;
  }

  /** @param {Phase} phase */
  #to(phase) {
    this.phase = phase;
    this.#surroundings.onChange();
  }
}

/** @param {UploadFile} file */
function itemOf({ item }) {
  if (!item) throw new FileGone('The service returned no location for the file.');
  return item;
}

/** @param {UploadFile} file */
const targetOf = (file) => ({ ...itemOf(file), accelerated: file.accelerated });

/** Whether the error affects all files. @param {unknown} error */
const isFinal = (error) => error instanceof ServiceProblem && [401, 404, 410].includes(error.status);

/** @param {unknown} error */
const explain = (error) => (error instanceof Error ? error.message : String(error));

/** @param {import('./file-sender.js').Transfer} transfer */
function isNearlyDone({ size, sent, startedAt }) {
  if (sent === 0) return size === 0;
  return ((Date.now() - startedAt) / sent) * (size - sent) < NEARLY_DONE_MS;
}
