/** Interval of renewals: a lease lasts a minute, and a film whose rules have changed must stop within half a minute. */
const RENEW_MS = 20_000;
/** The code of a rate limit, which others at the same address may have reached; it does not refuse the play. */
const RATE_LIMITED = 'rate_limited';

/** @typedef {{ code: string, detail: string }} Refusal why the viewer may no longer see the media: a problem document */

/** The lease of a play, without which media does not continue: links may limit concurrent plays, and their rules may change. */
export class Lease {
  #url;
  #onRefusal;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param {string} url
   * @param {(refusal: Refusal) => void} onRefusal
   */
  constructor(url, onRefusal) {
    this.#url = url;
    this.#onRefusal = onRefusal;
  }

  /**
   * Renews the lease while the media plays.
   * @param {HTMLMediaElement} media
   */
  keepWhilePlaying(media) {
    const start = () => {
      clearInterval(this.#timer);
      if (performance.now() - this.#renewedAt > RENEW_MS) void this.renew(); // also for media loaded long ago; a seek alone does not renew it
      this.#timer = setInterval(() => void this.renew(), RENEW_MS);
    };
    media.addEventListener('playing', start);
    media.addEventListener('pause', () => this.stop());
    media.addEventListener('ended', () => this.stop());
  }

  /** @returns {Promise<'granted' | 'refused' | 'unreachable'>} */
  async renew() {
    this.#renewedAt = performance.now();
    try {
      const answer = await fetch(this.#url, { method: 'POST', credentials: 'same-origin', keepalive: true });
      if (answer.ok) return 'granted';
      const refusal = answer.status < 500 ? await answer.json() : { code: RATE_LIMITED };
      if (refusal.code === RATE_LIMITED) return 'unreachable';
      this.stop();
      this.#onRefusal(refusal);
      return 'refused';
    } catch {
      return 'unreachable';
    }
  }

  stop() {
    clearInterval(this.#timer);
  }
}
