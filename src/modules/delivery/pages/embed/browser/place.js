/**
 * The state that is kept when the media is loaded again.
 * @typedef {{ currentTime: number, paused: boolean, playbackRate: number }} Place
 */

/** @type {WeakMap<HTMLMediaElement, Place>} the state to restore when the media has loaded */
const places = new WeakMap();

/**
 * The place of media; while it loads, the one at which it will continue.
 * @param {HTMLMediaElement} media
 * @returns {Place}
 */
export function placeOf(media) {
  const { currentTime, paused, playbackRate } = media;
  return places.get(media) ?? { currentTime, paused, playbackRate };
}

/**
 * Continues media at a place as soon as it has loaded.
 * @param {HTMLMediaElement} media
 * @param {Place} place
 */
export function continueAt(media, place) {
  places.set(media, place);
  const restore = () => {
    if (places.get(media) !== place) return; // a later change restores its own place
    places.delete(media);
    media.currentTime = place.currentTime;
    media.playbackRate = place.playbackRate;
    if (!place.paused) void media.play().catch(() => {}); // the browser may require a click first
  };
  if (media.readyState > 0) restore();
  else media.addEventListener('loadedmetadata', restore, { once: true });
}
