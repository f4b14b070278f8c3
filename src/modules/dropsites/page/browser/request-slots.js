/** @typedef {{ bytes: number, start: () => void }} Waiting */

/**
 * Limits the number of concurrent requests and of their bytes, because a reload or a pause
 * discards these bytes. One request is always allowed, regardless of its size.
 */
export class RequestSlots {
  #running = 0;
  #bytes = 0;
  /** @type {Waiting[]} */
  #waiting = [];
  #limits;

  /** @param {{ requests: number, bytes: number }} limits */
  constructor(limits) {
    this.#limits = limits;
  }

  /**
   * @template T
   * @param {number} bytes
   * @param {() => Promise<T>} request
   * @returns {Promise<T>}
   */
  async run(bytes, request) {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      await new Promise((resolve) => this.#waiting.push({ bytes, start: () => resolve(undefined) }));
    } else {
      this.#take(bytes);
    }
    try {
      return await request();
    } finally {
      this.#running -= 1;
      this.#bytes -= bytes;
      this.#startNext();
    }
  }

  /** Starts waiting requests in their order, so that none waits forever. */
  #startNext() {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.start();
    }
  }

  /** @param {number} bytes */
  #fits(bytes) {
    return this.#running === 0 || (this.#running < this.#limits.requests && this.#bytes + bytes <= this.#limits.bytes);
  }

  /** @param {number} bytes */
  #take(bytes) {
    this.#running += 1;
    this.#bytes += bytes;
  }
}
