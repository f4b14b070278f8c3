/**
 * Limits the number of concurrent requests and of their bytes, because a reload or a pause discards these bytes. One request is always
 * allowed, regardless of its size.
 */
export class RequestSlots {
  #running = 0;
  #bytes = 0;
  readonly #waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  readonly #limits: { readonly requests: number; readonly bytes: number };

  constructor(limits: { readonly requests: number; readonly bytes: number }) {
    this.#limits = limits;
  }

  async run<T>(bytes: number, request: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) await new Promise<void>((start) => this.#waiting.push({ bytes, start }));
    else this.#take(bytes);
    try {
      return await request();
    } finally {
      this.#running -= 1;
      this.#bytes -= bytes;
      this.#startNext();
    }
  }

  /** Starts waiting requests in order, so that none waits for ever. */
  #startNext(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.start();
    }
  }

  #fits(bytes: number): boolean {
    return this.#running === 0 || (this.#running < this.#limits.requests && this.#bytes + bytes <= this.#limits.bytes);
  }

  #take(bytes: number): void {
    this.#running += 1;
    this.#bytes += bytes;
  }
}
