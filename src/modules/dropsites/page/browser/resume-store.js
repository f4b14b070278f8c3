/**
 * @typedef {{ uuid: string, path: string, size: number, lastModified: number, type: import('./media-type.js').MediaType }} RememberedFile
 * @typedef {{ uploadId: string, completed: boolean, files: RememberedFile[] }} RememberedBatch
 * @typedef {object} Remembered an upload that was begun
 * @property {number} startedAt milliseconds
 * @property {import('./service-client.js').Sender | null} sender
 * @property {RememberedBatch[]} batches
 */

const VERSION = 1;

/**
 * What has to outlive a reload: which files were announced under which uploadId, and how far each came. It lives in localStorage, so that a
 * closed tab or a crashed browser is no loss either, until everything is delivered or the person discards it.
 *
 * There are no secrets in it. The storage's credentials are asked for anew; the session token and the password stay in memory only, for whoever
 * reads them could upload in the sender's name. With the sender's own e-mail address a new session for the same sender is opened instead.
 *
 * The list is written once and each file's progress under a key of its own, so that a delivery of thousands of files does not write megabytes
 * over and over.
 */
export class ResumeStore {
  #storage;
  #prefix;

  /**
   * @param {string} link
   * @param {Storage | null} storage null: nothing is remembered
   */
  constructor(link, storage) {
    this.#storage = storage;
    this.#prefix = `upload:${link}`;
  }

  /** @returns {Remembered | null} */
  load() {
    const record = this.#read(this.#prefix);
    if (record?.version !== VERSION) return null;
    return { ...record, batches: record.batches.map(expand) };
  }

  /**
   * What was written down of a file.
   * @param {string} uuid
   * @returns {import('./upload-file.js').Progress}
   */
  progressOf(uuid) {
    return this.#read(`${this.#prefix}:${uuid}`) ?? {};
  }

  /**
   * False when the browser does not keep it (no room, or not allowed); the upload then goes on, but not after a reload.
   * @param {Remembered} record
   */
  save(record) {
    return this.#write(this.#prefix, { ...record, version: VERSION, batches: record.batches.map(shrink) });
  }

  /**
   * @param {string} uuid
   * @param {import('./upload-file.js').Progress} progress
   */
  note(uuid, progress) {
    return this.#write(`${this.#prefix}:${uuid}`, progress);
  }

  clear() {
    const storage = this.#storage;
    if (!storage) return;
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    for (const key of keys) if (key === this.#prefix || key.startsWith(`${this.#prefix}:`)) storage.removeItem(key);
  }

  /** @param {string} key */
  #read(key) {
    try {
      return JSON.parse(this.#storage?.getItem(key) ?? 'null');
    } catch {
      return null; // somebody else's, or cut off: as if it was not there
    }
  }

  /**
   * @param {string} key
   * @param {object} value
   */
  #write(key, value) {
    try {
      this.#storage?.setItem(key, JSON.stringify(value));
      return this.#storage !== null;
    } catch {
      return false; // no room
    }
  }
}

/**
 * Five megabytes are all there is: names of properties would be a third of it.
 * @param {RememberedBatch} batch
 */
const shrink = ({ uploadId, completed, files }) => ({
  uploadId,
  completed,
  files: files.map(({ uuid, path, size, lastModified, type }) => [uuid, path, size, lastModified, type]),
});

/**
 * @param {{ uploadId: string, completed: boolean, files: [string, string, number, number, import('./media-type.js').MediaType][] }} batch
 * @returns {RememberedBatch}
 */
const expand = ({ uploadId, completed, files }) => ({
  uploadId,
  completed,
  files: files.map(([uuid, path, size, lastModified, type]) => ({ uuid, path, size, lastModified, type })),
});
