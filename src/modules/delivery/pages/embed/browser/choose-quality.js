/** Factor by which the connection must exceed the bit rate of a file, because that rate is an average. */
const HEADROOM = 1.25;
/** Assumed speed of an unknown connection in bits per second; most connections reach it. */
const ASSUMED_SPEED = 5_000_000;
/** Factor by which a picture may be enlarged without visible loss. */
const ENLARGEMENT = 1.1;

/**
 * @typedef {object} Quality
 * @property {number | null} width pixels; null: not known
 * @property {number | null} height
 * @property {number | null} bitrate bits per second; null: not known
 * @property {boolean} isPreview
 *
 * @typedef {object} Conditions
 * @property {number} width pixels of the screen that the picture is drawn on
 * @property {number} height
 * @property {number | null} speed bits per second; null: not known
 * @property {boolean} savesData whether the viewer wants to load as little data as possible
 */

/**
 * Chooses the file to play; -1: there are no files. Previews are chosen only if the connection is too slow for all other files, or if no
 * others exist.
 * @param {readonly Quality[]} qualities the preferred one first
 * @param {Conditions} conditions
 */
export function chooseQuality(qualities, { width, height, speed, savesData }) {
  const affordable = (speed ?? ASSUMED_SPEED) / HEADROOM;
  const whole = qualities.filter(({ isPreview }) => !isPreview);
  const fitting = (whole.length > 0 ? whole : qualities).filter(({ bitrate }) => bitrate === null || bitrate <= affordable);
  const smallest = (/** @type {readonly Quality[]} */ of) => of.toSorted((one, other) => neededRate(one) - neededRate(other))[0];
  const bestFit = () => {
    const sized = fitting.filter(({ width: known }) => known !== null).toSorted((one, other) => pixels(one) - pixels(other));
    return sized.find((quality) => fills(quality, width, height)) ?? sized.at(-1) ?? fitting[0];
  };
  const chosen = fitting.length === 0 ? smallest(qualities) : savesData ? smallest(fitting) : bestFit();
  return chosen ? qualities.indexOf(chosen) : -1;
}

/**
 * Chooses the next lower file if the connection is too slow for the current one; -1: no file needs less.
 * @param {readonly Quality[]} qualities
 * @param {number} playing
 */
export function lowerQuality(qualities, playing) {
  const current = qualities[playing];
  if (!current) return -1;
  const lower = qualities
    .filter((quality) => neededRate(quality) < neededRate(current))
    .toSorted((one, other) => neededRate(other) - neededRate(one));
  return lower[0] ? qualities.indexOf(lower[0]) : -1;
}

/**
 * Sorts from the best to the lowest quality, previews last, for the menu.
 * @template {Quality} Q
 * @param {readonly Q[]} qualities
 */
export const bestFirst = (qualities) =>
  qualities.toSorted((one, other) => Number(one.isPreview) - Number(other.isPreview) || pixels(other) - pixels(one));

/** @param {Quality} quality */
const pixels = ({ width, height }) => (width ?? 0) * (height ?? 0);

/**
 * Bits per second that a file needs; estimated from the picture size if the rate is unknown.
 * @param {Quality} quality
 */
const neededRate = (quality) => quality.bitrate ?? pixels(quality) * 2;

/**
 * The picture keeps its aspect ratio, so one side suffices.
 * @param {Quality} quality
 * @param {number} width
 * @param {number} height
 */
const fills = (quality, width, height) => (quality.width ?? 0) * ENLARGEMENT >= width || (quality.height ?? 0) * ENLARGEMENT >= height;
