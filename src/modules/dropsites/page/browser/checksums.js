/** Has the checksums of files computed while they are uploaded. They are for the receipt alone: nothing waits for them. */
export class Checksums {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<string, (sha256: string) => void>} */
  #pending = new Map();
  #isOff = false;

  /** How many are being computed. */
  get pending() {
    return this.#pending.size;
  }

  /**
   * `done` hears the checksum in hexadecimal digits, some time.
   * @param {string} uuid
   * @param {File} file
   * @param {(sha256: string) => void} done
   */
  add(uuid, file, done) {
    if (this.#isOff || this.#pending.has(uuid)) return;
    this.#pending.set(uuid, done);
    this.#start()?.postMessage({ uuid, file });
  }

  /** The person does not want to wait for the rest. */
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
    worker.onerror = () => this.skip(); // a browser without module workers
    this.#worker = worker;
    return worker;
  }
}
