/** Step of progress in percent, and minimum interval, between announcements; more of them would disturb users of screen readers. */
const STEP = 25;
const MIN_INTERVAL_MS = 15_000;

/** Announces texts to screen readers. */
export class Announcer {
  #element;
  #step = 0;
  #spokenAt = 0;

  /** @param {HTMLElement} element a live region */
  constructor(element) {
    this.#element = element;
  }

  /** @param {string} text */
  say(text) {
    this.#element.textContent = text;
    this.#spokenAt = Date.now();
  }

  /**
   * @param {number} percent
   * @param {string} text
   */
  progress(percent, text) {
    const step = Math.floor(percent / STEP);
    if (step === this.#step || Date.now() - this.#spokenAt < MIN_INTERVAL_MS) return;
    this.#step = step;
    this.say(text);
  }
}
