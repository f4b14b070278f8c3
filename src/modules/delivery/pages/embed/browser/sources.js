/**
 * @typedef {object} Source a file that this browser plays
 * @property {string} url absolute
 * @property {string} label
 * @property {number | null} width
 * @property {number | null} height
 * @property {number | null} bitrate
 * @property {boolean} isPreview
 */

/**
 * Reads the playable files from the page.
 * @param {HTMLMediaElement} media
 * @returns {Source[]}
 */
export const sourcesOf = (media) =>
  [...media.querySelectorAll('source')]
    .filter(({ type }) => media.canPlayType(type) !== '')
    .map(({ src: url, dataset: { label = '', width, height, bitrate, preview } }) => ({
      ...{ url, label, isPreview: preview === 'true' },
      ...{ width: numberOf(width), height: numberOf(height), bitrate: numberOf(bitrate) },
    }));

/** @param {string | undefined} text */
const numberOf = (text) => (text ? Number(text) : null);
