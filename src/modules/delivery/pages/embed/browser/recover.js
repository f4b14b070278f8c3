import { changeSource } from './change-source.js';

/** A file that fails again within this time is broken or gone. */
const AGAIN_MS = 10_000;

/**
 * Addresses of files end after a while, and lines break. Once something has played an error is answered by asking for the file anew; one that
 * cannot be had at all is replaced by another. If that does not help the viewer is told.
 * @param {HTMLMediaElement} media
 * @param {{ replaceBroken: () => boolean }} qualities
 */
export function recoverFromErrors(media, qualities) {
  let triedAt = Number.NEGATIVE_INFINITY;
  let hasPlayed = media.readyState > 0; // the file may have come before this script
  const reason = document.getElementById('trouble')?.dataset.reason;
  media.addEventListener('loadedmetadata', () => {
    hasPlayed = true;
    tell('');
  });
  const fail = () => {
    if (hasPlayed && performance.now() - triedAt > AGAIN_MS) {
      triedAt = performance.now();
      changeSource(media, media.currentSrc, () => {});
    } else if (!qualities.replaceBroken()) tell(reason ?? 'This cannot be played at the moment. Load the page again.');
  };
  media.addEventListener('error', fail);
  // With several sources each of them fails by itself; the last one says that nothing is left.
  const sources = [...media.querySelectorAll('source')];
  sources.at(-1)?.addEventListener('error', () => {
    if (!media.hasAttribute('src')) fail();
  });
}

/** @param {string} text */
function tell(text) {
  const trouble = document.getElementById('trouble');
  if (!trouble) return;
  trouble.textContent = text;
  trouble.hidden = text === '';
}
