import { keep, recall } from './preferences.js';

/** Browsers that tell the speed of the line (Mbit/s) never tell more than this. */
const MOST_TOLD = 10;
/** Shorter times say nothing. */
const LEAST_MS = 250;

/** @returns {{ downlink?: number, saveData?: boolean } | undefined} not all browsers have it */
const connection = () => /** @type {any} */ (navigator).connection;

/** Whether the viewer told the browser to load as little as possible. */
export const savesData = () => connection()?.saveData === true;

/** Bits per second that the line carries: as the browser tells, else as it was measured the last time; null: nobody knows. */
export function lineSpeed() {
  const told = connection()?.downlink;
  if (told) return told >= MOST_TOLD ? Number.POSITIVE_INFINITY : told * 1_000_000;
  return Number(recall('speed')) || null;
}

/**
 * Measures how quickly media arrives, for the next choice. What is on its way while the browser has enough comes slowly, so the best counts.
 * @param {HTMLMediaElement} media
 * @param {() => number | null} bitrateOf of the file that is playing
 */
export function measureSpeed(media, bitrateOf) {
  if (connection()?.downlink) return;
  let best = 0;
  /** @type {{ at: number, end: number } | null} */
  let before = null;
  media.addEventListener('loadstart', () => {
    before = null;
  });
  media.addEventListener('progress', () => {
    const now = { at: performance.now(), end: bufferedEnd(media) };
    const elapsed = before ? now.at - before.at : 0;
    if (before && elapsed < LEAST_MS) return;
    const speed = before ? ((now.end - before.end) * (bitrateOf() ?? 0) * 1_000) / elapsed : 0;
    before = now;
    if (speed <= best) return;
    best = speed;
    keep('speed', String(Math.round(best)));
  });
}

/** @param {HTMLMediaElement} media */
const bufferedEnd = ({ buffered }) => (buffered.length > 0 ? buffered.end(buffered.length - 1) : 0);
