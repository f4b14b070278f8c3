/** Factor by which a picture may be enlarged without visible loss. */
const ENLARGEMENT = 1.1;

/**
 * @typedef {object} PlayableFile
 * @property {number | null} width pixels; null: unknown
 * @property {number | null} height
 * @property {boolean} isPreview
 */

/**
 * Chooses the file to play: the smallest that fills the screen on which it is drawn, otherwise the largest. Previews are chosen only if there is
 * nothing else. Undefined: there are no files.
 * @template {PlayableFile} F
 * @param {readonly F[]} files the preferred one first
 * @param {{ width: number, height: number }} screen in pixels
 * @returns {F | undefined}
 */
export function chooseFile(files, screen) {
  const whole = files.filter(({ isPreview }) => !isPreview);
  const candidates = whole.length > 0 ? whole : files;
  const sized = candidates.filter(({ width }) => width !== null).toSorted((one, other) => pixels(one) - pixels(other));
  return sized.find((file) => fills(file, screen)) ?? sized.at(-1) ?? candidates[0];
}

/** @param {PlayableFile} file */
const pixels = ({ width, height }) => (width ?? 0) * (height ?? 0);

/**
 * Whether a file fills the screen. The picture keeps its aspect ratio, so one side is sufficient.
 * @param {PlayableFile} file
 * @param {{ width: number, height: number }} screen
 */
const fills = (file, { width, height }) => (file.width ?? 0) * ENLARGEMENT >= width || (file.height ?? 0) * ENLARGEMENT >= height;
