import { extensionOf, mediaTypeOf } from './media-type.js';

/**
 * waiting: its turn comes; uploading; delivered: the service has heard that it is there; failed: can be tried again; refused: by the service,
 * for good; left-out: the person decided so.
 * @typedef {'waiting' | 'uploading' | 'delivered' | 'failed' | 'refused' | 'left-out'} FileState
 *
 * What is remembered of a file over a reload. `stored`: its object is complete in the storage.
 * @typedef {{ multipartId?: string, etag?: string, sha256?: string, stored?: boolean, delivered?: boolean, leftOut?: boolean }} Progress
 *
 * @typedef {{ path: string, file: File }} Picked a file as it was chosen, with its path in the folder that it was chosen with
 */

/** What the service takes as a name. */
const LONGEST_NAME = 1_024;

/** A file on its way. */
export class UploadFile {
  /** @type {FileState} */
  state = 'waiting';
  /** Why it failed or was refused, in one sentence. */
  problem = '';
  /** Why it looks like one that is there already; empty if it does not. */
  duplicate = '';
  /** @type {import('./service-client.js').ProcessedItem | null} where it goes; null until the service said so */
  item = null;
  accelerated = false;
  /** Bytes that have arrived and are not sent again. */
  arrived = 0;
  /** @type {Map<number, string>} entity tags of the parts that have arrived; empty where the storage hides them */
  arrivedParts = new Map();
  /** @type {Map<object, number>} bytes that went out of the requests that are on their way */
  #flying = new Map();
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
  static of({ path, file }) {
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

  /** What went out of it, as far as it counts. */
  get sent() {
    if (this.state === 'delivered' || this.progress.stored) return this.size;
    let flying = 0;
    for (const bytes of this.#flying.values()) flying += bytes;
    return Math.min(this.size, this.arrived + flying);
  }

  /** Whether it still is to be sent. */
  get isOpen() {
    return this.state === 'waiting' || this.state === 'uploading' || this.state === 'failed';
  }

  /** How it is announced. The same file is always announced in the same way: the service compares. */
  announce() {
    return { uuid: this.uuid, type: this.type, fileName: this.path, originalFileExtension: extensionOf(this.path), fileSize: this.size };
  }

  /**
   * A request with bytes of it is on its way.
   * @param {object} request
   * @param {number} sent
   */
  fly(request, sent) {
    this.#flying.set(request, sent);
  }

  /**
   * The request has ended; `arrived` of its bytes count from now on.
   * @param {object} request
   * @param {number} arrived
   */
  land(request, arrived) {
    this.#flying.delete(request);
    this.arrived += arrived;
  }
}

/**
 * The path says more than the name, and tells files of one name apart.
 * @param {string} path
 * @param {File} file
 */
const nameOf = (path, file) => (path.length <= LONGEST_NAME ? path : file.name.slice(-LONGEST_NAME));
