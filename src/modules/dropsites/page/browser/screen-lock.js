/** A phone that goes to sleep stops the upload. */
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
      // It is refused when the battery is low; then it goes on without.
      this.#held = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
    }
  }
}
