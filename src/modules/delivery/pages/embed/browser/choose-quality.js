/** A file is chosen when the line carries it with something to spare: its rate is an average. */
const HEADROOM = 1.25;
/** Bits per second of a line of which nothing is known: most carry it. */
const ASSUMED_SPEED = 5_000_000;
/** A picture may be drawn a little larger than it is before anybody sees it. */
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
 * @property {boolean} savesData whether the viewer wants as little as possible to be loaded
 */

/**
 * Which of the files is to play; -1: there are none. Previews are for lines that carry nothing else, and for media of which there is nothing
 * else.
 * @param {readonly Quality[]} qualities the preferred one first
 * @param {Conditions} conditions
 */
export function chooseQuality(qualities, { width, height, speed, savesData }) {
  const carries = (speed ?? ASSUMED_SPEED) / HEADROOM;
  const whole = qualities.filter(({ isPreview }) => !isPreview);
  const fitting = (whole.length > 0 ? whole : qualities).filter(({ bitrate }) => bitrate === null || bitrate <= carries);
  const smallest = (/** @type {readonly Quality[]} */ of) => of.toSorted((one, other) => cost(one) - cost(other))[0];
  const bestFit = () => {
    const sized = fitting.filter(({ width: known }) => known !== null).toSorted((one, other) => pixels(one) - pixels(other));
    return sized.find((quality) => fills(quality, width, height)) ?? sized.at(-1) ?? fitting[0];
  };
  const chosen = fitting.length === 0 ? smallest(qualities) : savesData ? smallest(fitting) : bestFit();
  return chosen ? qualities.indexOf(chosen) : -1;
}

/**
 * The next file for a line that does not carry the one that plays; -1: there is none that asks less of it.
 * @param {readonly Quality[]} qualities
 * @param {number} playing
 */
export function lowerQuality(qualities, playing) {
  const current = qualities[playing];
  if (!current) return -1;
  const lower = qualities.filter((quality) => cost(quality) < cost(current)).toSorted((one, other) => cost(other) - cost(one));
  return lower[0] ? qualities.indexOf(lower[0]) : -1;
}

/**
 * From the best to the least, previews last, as people look for them.
 * @template {Quality} Q
 * @param {readonly Q[]} qualities
 */
export const bestFirst = (qualities) =>
  qualities.toSorted((one, other) => Number(one.isPreview) - Number(other.isPreview) || pixels(other) - pixels(one));

/** @param {Quality} quality */
const pixels = ({ width, height }) => (width ?? 0) * (height ?? 0);

/**
 * What a file asks of the line; without a rate as much as its picture lets expect.
 * @param {Quality} quality
 */
const cost = (quality) => quality.bitrate ?? pixels(quality) * 2;

/**
 * The picture keeps its shape, so one side is enough.
 * @param {Quality} quality
 * @param {number} width
 * @param {number} height
 */
const fills = (quality, width, height) => (quality.width ?? 0) * ENLARGEMENT >= width || (quality.height ?? 0) * ENLARGEMENT >= height;
