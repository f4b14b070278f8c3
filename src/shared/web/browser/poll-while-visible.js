/** Who has just come wants to see something move; who waits for long does not look every second. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;
const GROWTH = 1.25;

/**
 * Asks again and again, with growing pauses, until the answer is false. A page that nobody sees asks nothing, and at once when it is shown again.
 * @param {() => Promise<boolean>} ask whether to go on; an error means that it is tried again after the longest pause
 * @returns {() => void} ends it
 */
export function pollWhileVisible(ask) {
  let pause = FIRST_PAUSE_MS;
  let isAsking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', show);
    isAsking = true; // whoever is asked now has the last word
  };
  const next = async () => {
    clearTimeout(timer);
    if (isAsking || document.hidden) return;
    isAsking = true;
    const goesOn = await ask().catch(() => {
      pause = LONGEST_PAUSE_MS;
      return true;
    });
    if (!goesOn) return stop();
    isAsking = false;
    timer = setTimeout(next, pause);
    pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH);
  };
  const show = () => void next();

  document.addEventListener('visibilitychange', show);
  timer = setTimeout(next, pause);
  return stop;
}
