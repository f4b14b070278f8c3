/** Time after which players usually hide their controls. */
const IDLE_MS = 3_000;
/** Matches an open menu, or an element with the keyboard focus. */
const IN_USE = 'details[open], [role="menu"]:not([hidden]), .overlay :focus-visible';

/** Hides the bars over a film while the viewer is inactive, by the class `idle`, and shows them again at any input. */
export function hideWhenIdle(player: HTMLElement, media: HTMLMediaElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isInUse = () => media.paused || player.querySelector(IN_USE) !== null;
  const hide = () => {
    if (!isInUse()) player.classList.add('idle');
  };
  const wake = () => {
    player.classList.remove('idle');
    clearTimeout(timer);
    timer = setTimeout(hide, IDLE_MS);
  };
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin', 'focusout']) player.addEventListener(name, wake);
  for (const name of ['play', 'pause', 'ended']) media.addEventListener(name, wake);
  wake();
}
