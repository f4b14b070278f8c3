import { keep, recall } from './preferences.js';

/** The highest speed in Mbit/s that browsers report; faster connections report the same value. */
const MAX_REPORTED_MBIT = 10;
/** Minimum duration of a measurement; shorter ones are unreliable. */
const MIN_MEASUREMENT_MS = 250;

/** @returns {{ downlink?: number, saveData?: boolean } | undefined} not supported by all browsers */
const connection = () => /** @type {any} */ (navigator).connection;

/** Whether the viewer has configured the browser to save data. */
export const savesData = () => connection()?.saveData === true;

/** Speed of the connection in bits per second, as reported by the browser or measured before; null: unknown. */
export function lineSpeed() {
  const reported = connection()?.downlink;
  if (reported) return reported >= MAX_REPORTED_MBIT ? Number.POSITIVE_INFINITY : reported * 1_000_000;
  return Number(recall('speed')) || null;
}

/**
 * Measures the speed at which media arrives, for the next choice. Browsers slow down a download when they have buffered enough, so the
 * highest value counts.
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
    if (before && elapsed < MIN_MEASUREMENT_MS) return;
    const speed = before ? ((now.end - before.end) * (bitrateOf() ?? 0) * 1_000) / elapsed : 0;
    before = now;
    if (speed <= best) return;
    best = speed;
    keep('speed', String(Math.round(best)));
  });
}

/** @param {HTMLMediaElement} media */
const bufferedEnd = ({ buffered }) => (buffered.length > 0 ? buffered.end(buffered.length - 1) : 0);
