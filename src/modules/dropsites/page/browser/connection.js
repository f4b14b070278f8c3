/** The first delay after a failure; each further one is twice as long. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/** @typedef {'line' | 'busy'} Reason line: no answer came; busy: the answer was that it is too much at the moment */

/**
 * Whether the network is there. After a request that got no answer all others wait; then they try again, later each time, and at once when the
 * person or the browser says so.
 */
export class Connection {
  #attempt = 0;
  /** @type {Reason} why it is waited now */
  reason = 'line';
  /** @type {number | null} */
  #retryAt = null;
  /** @type {(() => void)[]} */
  #waiting = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #onChange;
  #random;

  /** @param {{ onChange?: () => void, random?: () => number }} [options] */
  constructor({ onChange = () => {}, random = Math.random } = {}) {
    this.#onChange = onChange;
    this.#random = random;
  }

  /** True from the first failure until something got through again. */
  get isLost() {
    return this.#attempt > 0;
  }

  /** When the next try is made (milliseconds); null: it is being made, or nothing is wrong. */
  get retryAt() {
    return this.#retryAt;
  }

  /** Resolves when a request may be tried. */
  async ready() {
    while (this.#retryAt !== null) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  /**
   * A request got no answer, or one that it should come again. Those that were on their way at the same time fail with it, and count once.
   * @param {{ reason?: Reason, atLeastSeconds?: number }} [why] seconds: what the other side asked for
   */
  fail({ reason = 'line', atLeastSeconds = 0 } = {}) {
    if (this.#retryAt !== null) return;
    this.reason = reason;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#attempt) * (0.75 + this.#random() / 2);
    this.#attempt += 1;
    this.#wait(Math.max(delay, atLeastSeconds * 1_000));
  }

  /** Something got through. */
  restore() {
    if (this.#attempt === 0 || this.#retryAt !== null) return;
    this.#attempt = 0;
    this.#onChange();
  }

  /** The next try is made now. */
  tryNow() {
    if (this.#retryAt === null) return;
    clearTimeout(this.#timer);
    this.#retryAt = null;
    for (const go of this.#waiting.splice(0)) go();
    this.#onChange();
  }

  /** @param {number} delay */
  #wait(delay) {
    this.#retryAt = Date.now() + delay;
    this.#timer = setTimeout(() => this.tryNow(), delay);
    this.#onChange();
  }
}
