/** Pauses between polls: short at first, so that new visitors see progress, and longer later. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;
const GROWTH = 1.25;

/**
 * Polls with growing pauses until `ask` returns false; after an error it polls again after the longest pause. A hidden page does not poll; it
 * does so immediately when it is shown again. Returns a function that stops polling.
 */
export function pollWhileVisible(ask: () => Promise<boolean>): () => void {
  let pause = FIRST_PAUSE_MS;
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', show);
    isAsking = true; // a poll in progress is the last one
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
