/** A play counts for a minute; renewed a little before it ends. */
const RENEW_MS = 45_000;

/**
 * Tells the service that this viewer goes on watching, as long as it does: links may limit how many do so at a time.
 * @param {HTMLMediaElement} media
 * @param {string} url
 */
export function keepLease(media, url) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const renew = () => {
    renewedAt = performance.now();
    // Whether it is granted is decided by the next file that is asked for.
    void fetch(url, { method: 'POST', credentials: 'same-origin', keepalive: true }).catch(() => {});
  };
  const start = () => {
    clearInterval(timer);
    if (performance.now() - renewedAt > RENEW_MS) renew(); // what plays may have been loaded long ago; after a seek nothing is new
    timer = setInterval(renew, RENEW_MS);
  };
  const stop = () => clearInterval(timer);
  media.addEventListener('playing', start);
  media.addEventListener('pause', stop);
  media.addEventListener('ended', stop);
}
