import { extensionOf, mediaTypeOf } from './media-type.js';

/**
 * waiting: not started; uploading; delivered: its success was reported; failed: can be retried; refused: by the service,
 * permanently; left-out: by the person.
 * @typedef {'waiting' | 'uploading' | 'delivered' | 'failed' | 'refused' | 'left-out'} FileState
 *
 * The progress of a file that is kept over a reload. `stored`: its object is complete in the storage.
 * @typedef {{ multipartId?: string, etag?: string, sha256?: string, stored?: boolean, delivered?: boolean, leftOut?: boolean }} Progress
 *
 * @typedef {{ path: string, file: File }} Picked a chosen file, with its path in the chosen folder
 */

/** The service's maximum length of a name. */
const MAX_NAME_LENGTH = 1_024;

/** A file that is to be uploaded, and its state. */
export class UploadFile {
  /** @type {FileState} */
  state = 'waiting';
  /** Why it failed or was refused, in one sentence. */
  problem = '';
  /** Why it seems to be a duplicate; empty if it does not. */
  duplicate = '';
  /** @type {import('./service-client.js').ProcessedItem | null} its location; null until the service has prepared it */
  item = null;
  accelerated = false;
  /** Bytes that have arrived and are not sent again. */
  arrived = 0;
  /** @type {Map<number, string>} entity tags of the parts that have arrived; empty where the storage hides them */
  arrivedParts = new Map();
  /** @type {Map<object, number>} sent bytes of the requests in flight */
  #inFlight = new Map();
  /** @type {Progress} */
  progress = {};

  /** @param {{ uuid: string, path: string, size: number, lastModified: number, type: import('./media-type.js').MediaType, file?: File | null }} file */
  constructor({ uuid, path, size, lastModified, type, file = null }) {
    this.uuid = uuid;
    this.path = path;
    this.size = size;
    this.lastModified = lastModified;
    this.type = type;
    /** Null after a reload, until the person has chosen it again. */
    this.file = file;
  }

  /** @param {Picked} picked */
  static fromPicked({ path, file }) {
    const type = mediaTypeOf(file.name, file.type);
    return new UploadFile({
      uuid: crypto.randomUUID(),
      path: nameOf(path, file),
      size: file.size,
      lastModified: file.lastModified,
      type,
      file,
    });
  }

  /** Bytes that were sent, without those of failed requests. */
  get sent() {
    if (this.state === 'delivered' || this.progress.stored) return this.size;
    let inFlight = 0;
    for (const bytes of this.#inFlight.values()) inFlight += bytes;
    return Math.min(this.size, this.arrived + inFlight);
  }

  /** Whether it still has to be delivered. */
  get isOpen() {
    return this.state === 'waiting' || this.state === 'uploading' || this.state === 'failed';
  }

  /** The file as createUpload expects it. It must always be the same, because the service compares repeated requests. */
  announce() {
    return { uuid: this.uuid, type: this.type, fileName: this.path, originalFileExtension: extensionOf(this.path), fileSize: this.size };
  }

  /**
   * Records the sent bytes of a request in flight.
   * @param {object} request
   * @param {number} sent
   */
  trackRequest(request, sent) {
    this.#inFlight.set(request, sent);
  }

  /**
   * The request has ended; `arrived` of its bytes count from now on.
   * @param {object} request
   * @param {number} arrived
   */
  finishRequest(request, arrived) {
    this.#inFlight.delete(request);
    this.arrived += arrived;
  }
}

/**
 * The path, which distinguishes files with the same name; a path that is too long is replaced by the end of the name.
 * @param {string} path
 * @param {File} file
 */
const nameOf = (path, file) => (path.length <= MAX_NAME_LENGTH ? path : file.name.slice(-MAX_NAME_LENGTH));
