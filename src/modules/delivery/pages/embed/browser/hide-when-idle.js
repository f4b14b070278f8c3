/** Time after which players usually hide their controls. */
const IDLE_MS = 3_000;

/**
 * Hides the bar over a film or image while the viewer is inactive, by the class `idle`, and shows it again at any input.
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
