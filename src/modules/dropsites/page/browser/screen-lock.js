/** Keeps the screen on, because a phone that goes to sleep stops the upload. */
export class ScreenLock {
  /** @type {WakeLockSentinel | null} */
  #held = null;

  /** @param {boolean} isNeeded */
  async hold(isNeeded) {
    if (!isNeeded) {
      const held = this.#held;
      this.#held = null;
      await held?.release();
    } else if (document.visibilityState === 'visible' && (this.#held === null || this.#held.released)) {
      // Browsers refuse it when the battery is low; the upload then continues without it.
      this.#held = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
    }
  }
}
