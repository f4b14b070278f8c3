/**
 * The current time of the server that checks signatures. The clock of a phone can be hours off, and the storage refuses signatures with a
 * wrong time; the service's responses and the storage's refusals contain the correct one.
 */
export class ServerClock {
  #offsetMs = 0;
  #isPinned = false;
  readonly #local: () => number;

  constructor(local: () => number = () => Date.now()) {
    this.#local = local;
  }

  /** Milliseconds. */
  now(): number {
    return this.#local() + this.#offsetMs;
  }

  /** Sets the time that the storage reported, which checks signatures; the service's time is ignored from now on. */
  pin(time: string): void {
    this.#isPinned = false;
    this.learn(time);
    this.#isPinned = true;
  }

  /** Sets the time that the service reported; an unreadable one is ignored. */
  learn(time: string | null): void {
    if (this.#isPinned) return;
    const shown = Date.parse(time ?? '');
    if (!Number.isNaN(shown)) this.#offsetMs = shown - this.#local();
  }
}
