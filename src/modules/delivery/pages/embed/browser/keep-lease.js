/** A lease of a play lasts a minute; it is renewed before it ends. */
const RENEW_MS = 45_000;

/**
 * Renews the lease of this play while the media plays, because links may limit the number of concurrent plays.
 * @param {HTMLMediaElement} media
 * @param {string} url
 */
export function keepLease(media, url) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const renew = () => {
    renewedAt = performance.now();
    // A refusal takes effect at the next request for a file.
    void fetch(url, { method: 'POST', credentials: 'same-origin', keepalive: true }).catch(() => {});
  };
  const start = () => {
    clearInterval(timer);
    if (performance.now() - renewedAt > RENEW_MS) renew(); // also for media that was loaded long ago; a seek alone renews nothing
    timer = setInterval(renew, RENEW_MS);
  };
  const stop = () => clearInterval(timer);
  media.addEventListener('playing', start);
  media.addEventListener('pause', stop);
  media.addEventListener('ended', stop);
}
