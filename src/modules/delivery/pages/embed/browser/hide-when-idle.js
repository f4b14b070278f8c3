/** As long as players usually show their controls. */
const IDLE_MS = 3_000;

/**
 * The line over a film or an image goes while it is watched, and comes back at any sign of the viewer. The class `idle` hides it.
 * @param {HTMLElement} player
 * @param {HTMLMediaElement | null} media null: an image
 */
export function hideWhenIdle(player, media) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const isInUse = () => (media?.paused ?? false) || player.querySelector('details[open], .overlay :focus-visible') !== null;
  const hide = () => {
    if (!isInUse()) player.classList.add('idle');
  };
  const wake = () => {
    player.classList.remove('idle');
    clearTimeout(timer);
    timer = setTimeout(hide, IDLE_MS);
  };
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin', 'focusout']) player.addEventListener(name, wake);
  for (const name of ['play', 'pause', 'ended']) media?.addEventListener(name, wake);
  wake();
}
