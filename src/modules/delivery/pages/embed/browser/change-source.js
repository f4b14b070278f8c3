/** @typedef {{ currentTime: number, paused: boolean, playbackRate: number }} Place */

/** @type {WeakMap<HTMLMediaElement, Place>} position to restore when the new file has loaded */
const places = new WeakMap();

/**
 * Plays another file. Position, playing state and playback rate are kept, even if the next change comes before the file has loaded.
 * @param {HTMLMediaElement} media
 * @param {string} url
 * @param {() => void} onChange called when the file has loaded
 */
export function changeSource(media, url, onChange) {
  const place = places.get(media) ?? placeOf(media);
  media.src = url;
  media.load();
  continueAt(media, place, onChange);
}

/**
 * Continues media at a position as soon as its file has loaded.
 * @param {HTMLMediaElement} media
 * @param {Place} place
 * @param {() => void} [onLoad]
 */
export function continueAt(media, place, onLoad = () => {}) {
  places.set(media, place);
  const restore = () => {
    if (places.get(media) !== place) return; // a later change restores its own position
    places.delete(media);
    media.currentTime = place.currentTime;
    media.playbackRate = place.playbackRate;
    onLoad();
    if (!place.paused) void media.play().catch(() => {}); // the browser may want a click first
  };
  if (media.readyState > 0) restore();
  else media.addEventListener('loadedmetadata', restore, { once: true });
}

/**
 * @param {HTMLMediaElement} media
 * @returns {Place}
 */
export const placeOf = ({ currentTime, paused, playbackRate }) => ({ currentTime, paused, playbackRate });
