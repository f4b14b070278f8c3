/** Computes the checksums of files during their upload. Only the receipt shows them, so nothing waits for them. */
export class Checksums {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<string, (sha256: string) => void>} */
  #pending = new Map();
  #isOff = false;

  /** The number of checksums that are being computed. */
  get pending() {
    return this.#pending.size;
  }

  /**
   * Computes the checksum of a file, and later calls `done` with it in hexadecimal digits.
   * @param {string} uuid
   * @param {unknown} file a File
   * @param {(sha256: string) => void} done
   */
  add(uuid, file, done) {
    if (this.#isOff || this.#pending.has(uuid)) return;
    this.#pending.set(uuid, done);
    this.#start()?.postMessage({ uuid, file });
  }

  /** Stops computing, because the person does not want to wait for the remaining checksums. */
  skip() {
    this.#isOff = true;
    this.#pending.clear();
    this.#worker?.terminate();
    this.#worker = null;
  }

  #start() {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./checksum-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data: { uuid, sha256 } }) => {
      const done = this.#pending.get(uuid);
      this.#pending.delete(uuid);
      if (sha256) done?.(sha256);
    };
    worker.onerror = () => this.skip(); // the browser has no module workers
    this.#worker = worker;
    return worker;
  }
}
