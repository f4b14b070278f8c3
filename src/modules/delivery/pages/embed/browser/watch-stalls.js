/** Minimum duration of a stall; shorter interruptions are ignored. */
const STALL_MS = 2_000;

/**
 * Calls `onStall` when playing media has not advanced for STALL_MS. Waiting after a seek is not a stall.
 * @param {HTMLMediaElement} media
 * @param {() => void} onStall
 */
export function watchStalls(media, onStall) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    if (!media.paused && !media.seeking) timer = setTimeout(onStall, STALL_MS);
  };
  const end = () => clearTimeout(timer);
  media.addEventListener('waiting', wait);
  for (const name of ['timeupdate', 'playing', 'pause', 'seeking', 'emptied']) media.addEventListener(name, end);
}
