import { Uploader } from '@media-delivery/sdk/uploader';
import { SpeedMeter } from './speed-meter.js';

/**
 * @typedef {object} Surroundings
 * @property {import('./service-client.js').ServiceClient} service
 * @property {import('@media-delivery/sdk/uploader').StorageClient} storage
 * @property {import('@media-delivery/sdk/uploader').ServerClock} clock
 * @property {import('./resume-store.js').ResumeStore} store
 * @property {import('./checksums.js').Checksums} checksums
 * @property {() => void} onChange called when the state that the page shows has changed
 *
 * @typedef {object} Who
 * @property {import('./service-client.js').Sender | null} sender
 * @property {string} password
 * @property {number} [startedAt] milliseconds; of an earlier upload that is continued
 */

/** An upload to a dropsite: with the session of its sender, stored data for a reload, and checksums for the receipt. */
export class Delivery extends Uploader {
  #session;

  /**
   * @param {Surroundings} surroundings
   * @param {Who} who
   */
  constructor({ service, storage, clock, store, checksums, onChange }, { sender, password, startedAt = Date.now() }) {
    const session = new SenderSession(service, { sender, password });
    const meter = new SpeedMeter();
    /** @param {import('@media-delivery/sdk/uploader').UploadFile} file */
    const addChecksum = (file) => {
      if (file.file && !file.progress.sha256) checksums.add(file.id, file.file, (sha256) => void this.note(file, { sha256 }));
    };
    super({
      ...{ service: session, storage, clock, onChange, replacesEnded: true, onFile: addChecksum },
      onBytes: (bytes) => meter.add(Date.now(), bytes),
      onPhase: (phase) => phase === 'uploading' && meter.reset(),
      memory: {
        note: (file) => void store.note(file.id, file.progress),
        clear: () => store.clear(),
        save: (batches) => {
          const files = batches.map((batch) => ({ uploadId: batch.uploadId, completed: batch.isCompleted, files: [...batch.files] }));
          return store.save({ startedAt, sender: session.sender, batches: files });
        },
      },
    });
    this.#session = session;
    this.startedAt = startedAt;
    this.meter = meter;
  }

  /** The sender, as far as known. */
  get sender() {
    return this.#session.sender;
  }
}

/** The calls of one sender; when its session has ended, another one is opened for the same sender. */
class SenderSession {
  /** @type {{ email: string, userId: number } | null} */
  #creator = null;
  #service;
  #password;

  /**
   * @param {import('./service-client.js').ServiceClient} service
   * @param {Pick<Who, 'sender' | 'password'>} who
   */
  constructor(service, { sender, password }) {
    this.#service = service;
    this.#password = password;
    this.sender = sender;
    /** Without a sender there is no session to open again. */
    this.reopen = sender ? () => this.open() : undefined;
  }

  async open() {
    this.#creator = await this.#service.open({ sender: this.sender, password: this.#password });
    // This includes a generated address: a new session for the same sender needs it.
    if (this.sender && this.#creator) this.sender = { ...this.sender, email: this.#creator.email };
  }

  /** @param {import('@media-delivery/sdk/uploader').UploadRequest} request */
  async createUpload(request) {
    return await this.#service.createUpload({ ...request, password: this.sender ? '' : this.#password, creator: this.#creator });
  }

  /** @param {{ uploadId: string, totalSize: number, items: number }} notice */
  async uploadStarted(notice) {
    await this.#service.uploadStarted(notice);
  }

  /** @param {{ bucket: string, s3Key: string }} item */
  async itemSuccess(item) {
    await this.#service.itemSuccess(item);
  }

  /** @param {string} uploadId */
  async uploadComplete(uploadId) {
    await this.#service.uploadComplete(uploadId);
  }
}
