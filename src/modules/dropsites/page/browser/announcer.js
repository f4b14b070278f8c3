/** Progress is told at these steps, in percent, and not more often than this: a screen reader that speaks all the time is switched off. */
const STEP = 25;
const LEAST_MS = 15_000;

/** Speaks to people who do not see the page. */
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
    if (step === this.#step || Date.now() - this.#spokenAt < LEAST_MS) return;
    this.#step = step;
    this.say(text);
  }
}
