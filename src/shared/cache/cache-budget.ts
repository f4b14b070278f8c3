/** Of all caches of a process together; the verified tokens (TokenVerifierService) have the rest of its 64 MiB. */
export const MAX_CACHED_BYTES = 48 * 1024 * 1024;

/** Objects take about twice the bytes of their JSON. */
const BYTES_PER_CHARACTER = 2;

interface Held {
  readonly bytes: number;
  readonly drop: () => void;
}

/** The memory that the caches of a process share. What was used longest ago goes first, whichever cache it is in. */
export class CacheBudget {
  private readonly held = new Map<object, Held>();
  private used = 0;

  constructor(private readonly maxBytes = MAX_CACHED_BYTES) {}

  /** Bytes that are held, as estimated. */
  get bytes(): number {
    return this.used;
  }

  /** An entry has come; `drop` makes its cache give it up, and release it here. One that is larger than all of the budget goes at once. */
  hold(entry: object, value: unknown, drop: () => void): void {
    const bytes = (JSON.stringify(value) ?? '').length * BYTES_PER_CHARACTER;
    this.held.set(entry, { bytes, drop });
    this.used += bytes;
    if (bytes > this.maxBytes) drop();
    while (this.used > this.maxBytes) this.held.values().next().value?.drop();
  }

  /** It was used. */
  touch(entry: object): void {
    const held = this.held.get(entry);
    if (!held) return;
    this.held.delete(entry);
    this.held.set(entry, held);
  }

  /** Its cache has given it up. */
  release(entry: object): void {
    this.used -= this.held.get(entry)?.bytes ?? 0;
    this.held.delete(entry);
  }
}
