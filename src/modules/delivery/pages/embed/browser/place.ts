/** The state that is kept when the media is loaded again. */
export interface Place {
  readonly currentTime: number;
  readonly paused: boolean;
  readonly playbackRate: number;
}

/** The state to restore when the media has loaded. */
const places = new WeakMap<HTMLMediaElement, Place>();

/** The place of media; while it loads, the one at which it will continue. */
export function placeOf(media: HTMLMediaElement): Place {
  const { currentTime, paused, playbackRate } = media;
  return places.get(media) ?? { currentTime, paused, playbackRate };
}

/** Continues media at a place as soon as it has loaded. */
export function continueAt(media: HTMLMediaElement, place: Place): void {
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
