/** A hiccup is no stall. */
const STALL_MS = 2_000;

/**
 * Tells when media that should play has stood still for a while; a viewer who went to another place waits for that, not for the line.
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
