import { changeSource } from './change-source.js';

/** A file that fails again within this time is treated as broken. */
const RETRY_WINDOW_MS = 10_000;

/**
 * URLs of files expire, and connections fail. After playback has started, an error causes a new request for the file; a file that fails
 * again is replaced by another. If that does not help, the viewer sees a message.
 * @param {HTMLMediaElement} media
 * @param {{ replaceBroken: () => boolean }} qualities
 */
export function recoverFromErrors(media, qualities) {
  let triedAt = Number.NEGATIVE_INFINITY;
  let hasPlayed = media.readyState > 0; // the file may have loaded before this script
  const reason = document.getElementById('trouble')?.dataset.reason;
  media.addEventListener('loadedmetadata', () => {
    hasPlayed = true;
    showMessage('');
  });
  const fail = () => {
    if (hasPlayed && performance.now() - triedAt > RETRY_WINDOW_MS) {
      triedAt = performance.now();
      changeSource(media, media.currentSrc, () => {});
    } else if (!qualities.replaceBroken()) showMessage(reason ?? 'This cannot be played at the moment. Reload the page.');
  };
  media.addEventListener('error', fail);
  // Each source fails separately; after the error of the last one no source is left.
  const sources = [...media.querySelectorAll('source')];
  sources.at(-1)?.addEventListener('error', () => {
    if (!media.hasAttribute('src')) fail();
  });
}

/** @param {string} text */
function showMessage(text) {
  const trouble = document.getElementById('trouble');
  if (!trouble) return;
  trouble.textContent = text;
  trouble.hidden = text === '';
}
