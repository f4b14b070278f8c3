import { chooseFile, type PlayableFile } from './choose-file.js';
import { continueAt, placeOf } from './place.js';

/** A file of the page that this browser can play. */
interface Source extends PlayableFile {
  readonly url: string;
}

interface FilesOptions {
  /** The URL of a stream that this browser may be able to play like a file. */
  readonly stream: string | null;
  /** Called when the file cannot be loaded. */
  readonly onFailure: () => void;
}

/** Plays one of the files of the page, and another if it fails. */
export class Files {
  readonly #media: HTMLMediaElement;
  readonly #onFailure: () => void;
  #sources: readonly Source[];
  /** Null once it has failed. */
  #stream: string | null;
  #playing: string;

  constructor(media: HTMLMediaElement, { stream, onFailure }: FilesOptions) {
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
  retry(): void {
    if (this.#playing !== '') this.#load(this.#playing);
  }

  /** Plays another file instead of the current one; false: no other is left. */
  replace(): boolean {
    if (this.#playing === this.#stream) this.#stream = null;
    this.#sources = this.#sources.filter(({ url }) => url !== this.#playing);
    const next = this.#next();
    this.#play(next);
    return next !== undefined;
  }

  stop(): void {
    this.#media.removeEventListener('error', this.#onFailure);
    this.#last?.removeEventListener('error', this.#noteLast);
    for (const source of this.#media.querySelectorAll('source')) source.remove();
    this.#media.removeAttribute('src');
    this.#media.load();
  }

  /** The last source: the browser tries the sources in order, and after the error of the last one none is left. */
  get #last(): HTMLSourceElement | undefined {
    return [...this.#media.querySelectorAll('source')].at(-1);
  }

  readonly #noteLast = (): void => {
    if (!this.#media.hasAttribute('src')) this.#onFailure();
  };

  #next(): string | undefined {
    const { clientWidth, clientHeight } = this.#media;
    const screen = { width: clientWidth * devicePixelRatio, height: clientHeight * devicePixelRatio };
    return this.#stream ?? chooseFile(this.#sources, screen)?.url;
  }

  /** `url` is undefined: the browser reports by an error that it can play none of the files. */
  #play(url: string | undefined): void {
    if (url === undefined || url === this.#playing) return;
    this.#playing = url;
    this.#load(url);
  }

  #load(url: string): void {
    const place = placeOf(this.#media);
    this.#media.preload = 'metadata'; // the page preloads nothing if hls.js was to load the media
    // Segments are redirected to the storage, and Chromium plays streams of other origins only if they permit it.
    this.#media.crossOrigin = url === this.#stream ? 'anonymous' : null;
    this.#media.src = url;
    this.#media.load();
    continueAt(this.#media, place);
  }
}

const sourcesOf = (media: HTMLMediaElement): Source[] =>
  [...media.querySelectorAll('source')]
    .filter(({ type }) => media.canPlayType(type) !== '')
    .map(({ src: url, dataset: { width, height, preview } }) => ({
      ...{ url, width: numberOf(width), height: numberOf(height), isPreview: preview === 'true' },
    }));

const numberOf = (text: string | undefined): number | null => (text ? Number(text) : null);
