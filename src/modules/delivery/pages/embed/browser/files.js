import { chooseFile } from './choose-file.js';
import { continueAt, placeOf } from './place.js';

/** @typedef {import('./choose-file.js').PlayableFile & { url: string }} Source a file of the page that this browser can play */

/** Plays one of the files of the page, and another if it fails. */
export class Files {
  #media;
  #onFailure;
  #sources;
  /** @type {string | null} the URL of a stream that this browser plays like a file, until it fails */
  #stream;
  #playing;

  /**
   * @param {HTMLMediaElement} media
   * @param {{ stream: string | null, onFailure: () => void }} options onFailure: called when the file cannot be loaded
   */
  constructor(media, { stream, onFailure }) {
    this.#media = media;
    this.#stream = stream;
    this.#onFailure = onFailure;
    this.#sources = sourcesOf(media);
    media.addEventListener('error', onFailure);
    this.#last?.addEventListener('error', this.#noteLast);
    const isLoading = media.preload !== 'none' && !media.hasAttribute('src'); // the browser loads the first source by itself
    this.#playing = (isLoading && this.#sources[0]?.url) || '';
    this.#play(this.#next());
  }

  /** Requests the file again: its URL may have expired. */
  retry() {
    if (this.#playing !== '') this.#load(this.#playing);
  }

  /** Plays another file instead of the current one; false: no other is left. */
  replace() {
    if (this.#playing === this.#stream) this.#stream = null;
    this.#sources = this.#sources.filter(({ url }) => url !== this.#playing);
    const next = this.#next();
    this.#play(next);
    return next !== undefined;
  }

  stop() {
    this.#media.removeEventListener('error', this.#onFailure);
    this.#last?.removeEventListener('error', this.#noteLast);
    for (const source of this.#media.querySelectorAll('source')) source.remove();
    this.#media.removeAttribute('src');
    this.#media.load();
  }

  /** The last source: the browser tries the sources in order, and after the error of the last one none is left. */
  get #last() {
    return [...this.#media.querySelectorAll('source')].at(-1);
  }

  #noteLast = () => {
    if (!this.#media.hasAttribute('src')) this.#onFailure();
  };

  #next() {
    const { clientWidth, clientHeight } = this.#media;
    const screen = { width: clientWidth * devicePixelRatio, height: clientHeight * devicePixelRatio };
    return this.#stream ?? chooseFile(this.#sources, screen)?.url;
  }

  /** @param {string | undefined} url undefined: the browser reports by an error that it can play none of the files */
  #play(url) {
    if (url === undefined || url === this.#playing) return;
    this.#playing = url;
    this.#load(url);
  }

  /** @param {string} url */
  #load(url) {
    const place = placeOf(this.#media);
    this.#media.preload = 'metadata'; // the page preloads nothing if hls.js was to load the media
    // Segments are redirected to the storage, and Chromium plays streams of other origins only if they permit it.
    this.#media.crossOrigin = url === this.#stream ? 'anonymous' : null;
    this.#media.src = url;
    this.#media.load();
    continueAt(this.#media, place);
  }
}

/**
 * @param {HTMLMediaElement} media
 * @returns {Source[]}
 */
const sourcesOf = (media) =>
  [...media.querySelectorAll('source')]
    .filter(({ type }) => media.canPlayType(type) !== '')
    .map(({ src: url, dataset: { width, height, preview } }) => ({
      ...{ url, width: numberOf(width), height: numberOf(height), isPreview: preview === 'true' },
    }));

/** @param {string | undefined} text */
const numberOf = (text) => (text ? Number(text) : null);
