import { MAX_FILE_SIZE } from '@media-delivery/sdk/uploader';
import { toUploadFile } from './picked-file.js';

/** @typedef {import('@media-delivery/sdk/uploader').UploadFile} UploadFile */
/** @typedef {import('./picked-file.js').Picked} Picked */

/** Nouns for the media types, as in `images and videos`. */
const WORDS = { video: 'videos', audio: 'sound files', image: 'images', document: 'documents' };

/** The files that a person has chosen, until the upload starts. */
export class Choice {
  /** @type {UploadFile[]} */
  files = [];
  #allowedTypes;

  /** @param {readonly string[]} allowedTypes empty: all */
  constructor(allowedTypes) {
    this.#allowedTypes = allowedTypes;
  }

  /** The files that can be sent. */
  get good() {
    return this.files.filter(({ state }) => state === 'waiting');
  }

  get totalSize() {
    return this.good.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Adds files that are not in the list yet; returns their number.
   * @param {readonly Picked[]} picked
   */
  add(picked) {
    const known = new Set(this.files.map(likeness));
    const before = this.files.length;
    for (const one of picked) {
      const file = toUploadFile(one);
      if (known.has(likeness(file))) continue;
      known.add(likeness(file));
      const problem = this.#problemOf(file);
      if (problem) Object.assign(file, { state: 'refused', problem });
      this.files.push(file);
    }
    return this.files.length - before;
  }

  /** @param {UploadFile} file */
  remove(file) {
    this.files = this.files.filter((one) => one !== file);
  }

  clear() {
    this.files = [];
  }

  /** @param {UploadFile} file */
  #problemOf({ type, size }) {
    if (size > MAX_FILE_SIZE) return 'The file is larger than 5 TiB.';
    if (this.#allowedTypes.length === 0 || this.#allowedTypes.includes(type)) return '';
    return `This dropsite accepts only ${wordsFor(this.#allowedTypes)}.`;
  }
}

/** @param {readonly string[]} types */
export function wordsFor(types) {
  const words = types.map((type) => WORDS[/** @type {keyof typeof WORDS} */ (type)] ?? type);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/**
 * A key that is the same for files that look the same to the person who chooses them.
 * @param {UploadFile} file
 */
export const likeness = ({ path, size, lastModified }) => JSON.stringify([path, size, lastModified]);
