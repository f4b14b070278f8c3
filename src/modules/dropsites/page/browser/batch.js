/** Maximum number of files that the service accepts in one batch. */
export const MAX_BATCH_ITEMS = 1_000;
/** Time before their expiry at which credentials are renewed, so that a waiting request still starts in time. */
const MARGIN_MS = 60_000;
/** The same for short-lived credentials, as a share of their lifetime. */
const MARGIN_PART = 0.2;

/** Up to a thousand files of a delivery that are announced together. */
export class Batch {
  isCompleted = false;
  /** @type {Promise<void> | null} */
  #preparing = null;
  #receivedAt = 0;

  /**
   * @param {string} uploadId
   * @param {import('./upload-file.js').UploadFile[]} files
   */
  constructor(uploadId, files) {
    this.uploadId = uploadId;
    /** In the order of the request, because a repeated request must be identical. */
    this.files = files;
  }

  /** @param {import('./upload-file.js').UploadFile[]} files */
  static split(files) {
    return Array.from({ length: Math.ceil(files.length / MAX_BATCH_ITEMS) }, (_, index) => {
      return new Batch(crypto.randomUUID(), files.slice(index * MAX_BATCH_ITEMS, (index + 1) * MAX_BATCH_ITEMS));
    });
  }

  /** Whether no further file of the batch will arrive. */
  get isDone() {
    return this.files.every((file) => !file.isOpen);
  }

  /**
   * Requests the locations of the files from the service. Concurrent calls share one request; `createUpload` gets the body to send.
   * @param {(request: { uploadId: string, payload: object[] }) => Promise<import('./service-client.js').UploadDocument>} createUpload
   * @param {number} now milliseconds
   */
  prepare(createUpload, now) {
    this.#preparing ??= createUpload({ uploadId: this.uploadId, payload: this.files.map((file) => file.announce()) })
      .then((document) => this.#fill(document, now))
      .finally(() => {
        this.#preparing = null;
      });
    return this.#preparing;
  }

  /**
   * Whether the credentials of a file are valid for long enough.
   * @param {import('./upload-file.js').UploadFile} file
   * @param {number} now milliseconds
   */
  hasCredentials({ item }, now) {
    if (!item?.credentials) return false;
    const end = Date.parse(item.credentials.Expiration);
    return now < end - Math.min(MARGIN_MS, (end - this.#receivedAt) * MARGIN_PART);
  }

  /**
   * @param {import('./service-client.js').UploadDocument} document
   * @param {number} now
   */
  #fill({ processed, error, transferAcceleration }, now) {
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
      else if (file.isOpen) Object.assign(file, { state: 'refused', problem: message });
    }
  }
}
