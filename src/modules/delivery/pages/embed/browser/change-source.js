/** @typedef {{ currentTime: number, paused: boolean, playbackRate: number }} Place */

/** @type {WeakMap<HTMLMediaElement, Place>} where those are to go on whose file is not there yet */
const places = new WeakMap();

/**
 * Plays another file. The place in the media, whether it plays and how fast stay as they are, also when the next change comes before the file.
 * @param {HTMLMediaElement} media
 * @param {string} url
 * @param {() => void} onChange called when the file is there
 */
export function changeSource(media, url, onChange) {
  const place = places.get(media) ?? placeOf(media);
  media.src = url;
  media.load();
  goOnAt(media, place, onChange);
}

/**
 * Has media go on at a place as soon as that is possible.
 * @param {HTMLMediaElement} media
 * @param {Place} place
 * @param {() => void} [onArrival]
 */
export function goOnAt(media, place, onArrival = () => {}) {
  places.set(media, place);
  const arrive = () => {
    if (places.get(media) !== place) return; // a later change has its own
    places.delete(media);
    media.currentTime = place.currentTime;
    media.playbackRate = place.playbackRate;
    onArrival();
    if (!place.paused) void media.play().catch(() => {}); // the browser may want a click first
  };
  if (media.readyState > 0) arrive();
  else media.addEventListener('loadedmetadata', arrive, { once: true });
}

/**
 * @param {HTMLMediaElement} media
 * @returns {Place}
 */
export const placeOf = ({ currentTime, paused, playbackRate }) => ({ currentTime, paused, playbackRate });
