/** Interval of renewals: a lease lasts a minute, and a film whose rules have changed must stop within half a minute. */
const RENEW_MS = 20_000;
/** The code of a rate limit, which others at the same address may have reached; it does not refuse the play. */
const RATE_LIMITED = 'rate_limited';

/** Why the viewer may no longer see the media: a problem document. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
}

/** The lease of a play, without which media does not continue: links may limit concurrent plays, and their rules may change. */
export class Lease {
  readonly #url: string;
  readonly #onRefusal: (refusal: Refusal) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, onRefusal: (refusal: Refusal) => void) {
    this.#url = url;
    this.#onRefusal = onRefusal;
  }

  /** Renews the lease while the media plays. */
  keepWhilePlaying(media: HTMLMediaElement): void {
    const start = () => {
      clearInterval(this.#timer);
      if (performance.now() - this.#renewedAt > RENEW_MS) void this.renew(); // also for media loaded long ago; a seek alone does not renew it
      this.#timer = setInterval(() => void this.renew(), RENEW_MS);
    };
    media.addEventListener('playing', start);
    media.addEventListener('pause', () => this.stop());
    media.addEventListener('ended', () => this.stop());
  }

  async renew(): Promise<'granted' | 'refused' | 'unreachable'> {
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

  stop(): void {
    clearInterval(this.#timer);
  }
}
