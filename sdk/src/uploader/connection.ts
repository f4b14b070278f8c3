/** Delay after the first failure; each further delay is twice as long. */
const INITIAL_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** line: there was no response; busy: the response was that the service is overloaded. */
export type WaitReason = 'line' | 'busy';

/**
 * State of the network. After a request without a response all others wait, then retry with growing delays, or immediately when the
 * person or the browser requests it.
 */
export class Connection {
  /** Why requests wait. */
  reason: WaitReason = 'line';
  #attempt = 0;
  #lostAt = 0;
  #hasWorked = false;
  #retryAt: number | null = null;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onChange: () => void;
  readonly #random: () => number;

  constructor({ onChange = () => {}, random = Math.random }: { onChange?: () => void; random?: () => number } = {}) {
    this.#onChange = onChange;
    this.#random = random;
  }

  /** True from the first failure until a request succeeds. */
  get isLost(): boolean {
    return this.#attempt > 0;
  }

  /** Failures since the last request that succeeded, when the first of them was (milliseconds), and whether any request has succeeded. */
  get outage(): { readonly failures: number; readonly since: number; readonly isFirstContact: boolean } {
    return { failures: this.#attempt, since: this.#lostAt, isFirstContact: !this.#hasWorked };
  }

  /** Time of the next attempt in milliseconds; null: it is in progress, or the connection works. */
  get retryAt(): number | null {
    return this.#retryAt;
  }

  /** Resolves when a request may be sent. */
  async ready(): Promise<void> {
    while (this.#retryAt !== null) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Reports a request without a response, or one that must be repeated. Failures of concurrent requests count once. `atLeastSeconds`: the
   * delay that the server requested.
   */
  fail({ reason = 'line', atLeastSeconds = 0 }: { reason?: WaitReason; atLeastSeconds?: number } = {}): void {
    if (this.#retryAt !== null) return;
    this.reason = reason;
    if (this.#attempt === 0) this.#lostAt = Date.now();
    const delay = Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** this.#attempt) * (0.75 + this.#random() / 2);
    this.#attempt += 1;
    this.#wait(Math.max(delay, atLeastSeconds * 1_000));
  }

  /** Reports a successful request. */
  restore(): void {
    this.#hasWorked = true;
    if (this.#attempt === 0 || this.#retryAt !== null) return;
    this.#attempt = 0;
    this.#onChange();
  }

  /** Starts the next attempt immediately. */
  tryNow(): void {
    if (this.#retryAt === null) return;
    clearTimeout(this.#timer);
    this.#retryAt = null;
    for (const go of this.#waiting.splice(0)) go();
    this.#onChange();
  }

  #wait(delay: number): void {
    this.#retryAt = Date.now() + delay;
    this.#timer = setTimeout(() => this.tryNow(), delay);
    this.#onChange();
  }
}
