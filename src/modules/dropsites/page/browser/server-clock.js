/**
 * What time it is where signatures are checked. The clock of a phone can be hours off, and the storage refuses signatures of another time; the
 * service's answers and the storage's refusals tell the right one.
 */
export class ServerClock {
  #offsetMs = 0;
  #isPinned = false;
  #local;

  /** @param {() => number} [local] milliseconds */
  constructor(local = () => Date.now()) {
    this.#local = local;
  }

  /** Milliseconds. */
  now() {
    return this.#local() + this.#offsetMs;
  }

  /**
   * The storage, which checks signatures, showed this time just now. Nobody else counts any more.
   * @param {string} time
   */
  pin(time) {
    this.#isPinned = false;
    this.learn(time);
    this.#isPinned = true;
  }

  /**
   * The service showed this time just now. What cannot be read is passed over.
   * @param {string | null} time
   */
  learn(time) {
    if (this.#isPinned) return;
    const shown = Date.parse(time ?? '');
    if (!Number.isNaN(shown)) this.#offsetMs = shown - this.#local();
  }
}
