const COUNT = 100;

/** The hundredths of a film whose middle was played. */
export class Seen {
  readonly #bits = new Set<number>();

  /** Adds a period of a film of `length`, all in seconds. */
  add(from: number, to: number, length: number): void {
    if (!(length > 0) || !Number.isFinite(length)) return;
    const end = Math.min(COUNT, Math.ceil((to / length) * COUNT - 0.5));
    for (let bit = Math.max(0, Math.ceil((from / length) * COUNT - 0.5)); bit < end; bit += 1) this.#bits.add(bit);
  }

  /** As 25 hexadecimal digits; the lowest bit is the first hundredth. */
  toString(): string {
    const all = [...this.#bits].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n);
    return all.toString(16).padStart(COUNT / 4, '0');
  }
}
