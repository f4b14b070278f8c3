/** Delay after the first failure; each further delay is twice as long. */
const INITIAL_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** @typedef {'line' | 'busy'} Reason line: there was no response; busy: the response was that the service is overloaded */

/**
 * State of the network. After a request without a response all others wait, then retry with growing delays, or immediately when the
 * person or the browser requests it.
 */
export class Connection {
  #attempt = 0;
  /** @type {Reason} why requests wait */
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

  /** True from the first failure until a request succeeds. */
  get isLost() {
    return this.#attempt > 0;
  }

  /** Time of the next attempt in milliseconds; null: it is in progress, or the connection works. */
  get retryAt() {
    return this.#retryAt;
  }

  /** Resolves when a request may be sent. */
  async ready() {
    while (this.#retryAt !== null) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  /**
   * Reports a request without a response, or one that must be repeated. Failures of concurrent requests count once.
   * @param {{ reason?: Reason, atLeastSeconds?: number }} [why] seconds: the delay that the server requested
   */
  fail({ reason = 'line', atLeastSeconds = 0 } = {}) {
    if (this.#retryAt !== null) return;
    this.reason = reason;
    const delay = Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** this.#attempt) * (0.75 + this.#random() / 2);
    this.#attempt += 1;
    this.#wait(Math.max(delay, atLeastSeconds * 1_000));
  }

  /** Reports a successful request. */
  restore() {
    if (this.#attempt === 0 || this.#retryAt !== null) return;
    this.#attempt = 0;
    this.#onChange();
  }

  /** Makes the next attempt immediately. */
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
