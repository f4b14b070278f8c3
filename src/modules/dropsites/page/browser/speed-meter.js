/** Long enough that a part's end is no jump, short enough that a slower line is seen soon. */
const WINDOW_MS = 10_000;
/** Before that a speed is a guess. */
const MIN_MEASUREMENT_MS = 1_500;

/** Measures how quickly bytes go out, over the last seconds. Moments are handed in, in milliseconds. */
export class SpeedMeter {
  /** @type {{ at: number, bytes: number }[]} */
  #samples = [];

  /**
   * @param {number} at
   * @param {number} bytes all that went out until then
   */
  add(at, bytes) {
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && at - (this.#samples[1]?.at ?? at) >= WINDOW_MS) this.#samples.shift();
  }

  /** After a pause: what was measured before says nothing any more. */
  reset() {
    this.#samples = [];
  }

  /** Bytes a second; null while nothing can be said. */
  get speed() {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < MIN_MEASUREMENT_MS) return null;
    return Math.max(0, (last.bytes - first.bytes) / (last.at - first.at)) * 1_000;
  }

  /**
   * Seconds that so many bytes will take; null while nothing can be said.
   * @param {number} bytes
   */
  secondsFor(bytes) {
    const { speed } = this;
    return speed ? bytes / speed : null;
  }
}
