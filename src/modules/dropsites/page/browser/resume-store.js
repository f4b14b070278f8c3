/**
 * @typedef {{ id: string, path: string, size: number, lastModified: number, type: import('@media-delivery/sdk/uploader').MediaType }} RememberedFile
 * @typedef {{ uploadId: string, completed: boolean, files: RememberedFile[] }} RememberedBatch
 * @typedef {object} Remembered an upload that was begun
 * @property {number} startedAt milliseconds
 * @property {import('./service-client.js').Sender | null} sender
 * @property {RememberedBatch[]} batches
 */

const VERSION = 1;

/**
 * Stores the data that a reload needs: the files that were announced under each uploadId, and their progress. It uses localStorage, so that
 * a closed tab or a crashed browser causes no loss either, until everything is delivered or the person discards the upload.
 *
 * It contains no secrets. Credentials of the storage are requested again; the session token and the password stay in memory only, because
 * anyone who reads them could upload as the sender. With the sender's own e-mail address a new session for the same sender is opened
 * instead.
 *
 * The list is written once and each file's progress under a separate key, so that a delivery of thousands of files does not write megabytes
 * repeatedly.
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
   * The stored progress of a file.
   * @param {string} id
   * @returns {import('@media-delivery/sdk/uploader').Progress}
   */
  progressOf(id) {
    return this.#read(`${this.#prefix}:${id}`) ?? {};
  }

  /**
   * Stores the upload; false if the browser cannot (no space, or not permitted): then it cannot be resumed after a reload.
   * @param {Remembered} record
   */
  save(record) {
    return this.#write(this.#prefix, { ...record, version: VERSION, batches: record.batches.map(shrink) });
  }

  /**
   * @param {string} id
   * @param {import('@media-delivery/sdk/uploader').Progress} progress
   */
  note(id, progress) {
    return this.#write(`${this.#prefix}:${id}`, progress);
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
      return null; // invalid or truncated data is ignored
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
      return false; // no space
    }
  }
}

/**
 * Converts files to arrays, because the storage has five megabytes and property names would take a third of them.
 * @param {RememberedBatch} batch
 */
const shrink = ({ uploadId, completed, files }) => ({
  uploadId,
  completed,
  files: files.map(({ id, path, size, lastModified, type }) => [id, path, size, lastModified, type]),
});

/**
 * @param {{ uploadId: string, completed: boolean, files: [string, string, number, number, import('@media-delivery/sdk/uploader').MediaType][] }} batch
 * @returns {RememberedBatch}
 */
const expand = ({ uploadId, completed, files }) => ({
  uploadId,
  completed,
  files: files.map(([id, path, size, lastModified, type]) => ({ id, path, size, lastModified, type })),
});
