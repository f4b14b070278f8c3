/** Long enough that the end of a part causes no jump, and short enough to show a slower connection soon. */
const WINDOW_MS = 10_000;
/** A speed that is measured over a shorter time is unreliable. */
const MIN_MEASUREMENT_MS = 1_500;

/** Measures the speed at which bytes were sent during the last seconds. The caller passes times in milliseconds. */
export class SpeedMeter {
  /** @type {{ at: number, bytes: number }[]} */
  #samples = [];

  /**
   * @param {number} at
   * @param {number} bytes all bytes that were sent until then
   */
  add(at, bytes) {
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && at - (this.#samples[1]?.at ?? at) >= WINDOW_MS) this.#samples.shift();
  }

  /** Discards the measurements after a pause, because they no longer apply. */
  reset() {
    this.#samples = [];
  }

  /** Bytes per second; null while it is unknown. */
  get speed() {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < MIN_MEASUREMENT_MS) return null;
    return Math.max(0, (last.bytes - first.bytes) / (last.at - first.at)) * 1_000;
  }

  /**
   * Seconds that this many bytes will take; null while it is unknown.
   * @param {number} bytes
   */
  secondsFor(bytes) {
    const { speed } = this;
    return speed ? bytes / speed : null;
  }
}
