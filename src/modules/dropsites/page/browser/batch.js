/** What the service takes at once. */
export const MOST_ITEMS = 1_000;
/** Credentials are renewed so long before they end, so that a request that waits for its turn still starts in time. */
const MARGIN_MS = 60_000;
/** Of those that live for a short time only, this part of their life. */
const MARGIN_PART = 0.2;

/** Files that were announced together: up to a thousand of a delivery. */
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
    /** In the order of the request: the same request again must be the same. */
    this.files = files;
  }

  /** @param {import('./upload-file.js').UploadFile[]} files */
  static of(files) {
    return Array.from({ length: Math.ceil(files.length / MOST_ITEMS) }, (_, index) => {
      return new Batch(crypto.randomUUID(), files.slice(index * MOST_ITEMS, (index + 1) * MOST_ITEMS));
    });
  }

  /** Whether nothing more will arrive of it. */
  get isDone() {
    return this.files.every((file) => !file.isOpen);
  }

  /**
   * Asks the service where its files go. Several who ask at the same time get one answer; `createUpload` is called with what to send.
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
   * Whether the credentials of a file are worth using.
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
      if (!item.credentials) file.progress = { ...file.progress, stored: true }; // its success was reported before
    }
    for (const { index, code, message } of error) {
      const file = this.files[index];
      if (!file) continue;
      if (code === 'duplicate') file.duplicate = message;
      else if (file.isOpen) Object.assign(file, { state: 'refused', problem: message });
    }
  }
}
