import Hls from 'hls.js';
import { continueAt, placeOf } from './place.js';
import { keep, recall } from './preferences.js';

/** Seconds that are loaded ahead: a film whose rules change must not continue from its buffer. One segment of four seconds may be added. */
const AHEAD_SECONDS = 16;
/** Seconds that are loaded before the viewer starts the film: one segment, for its first picture and its duration. */
const AHEAD_BEFORE_START = 1;
/** The assumed speed in bits per second until the first segment has been measured; most connections reach it. */
const ASSUMED_SPEED = 3_000_000;

/** Whether the browser has Media Source Extensions and the codecs of streams. */
export const canStream = () => Hls.isSupported();

/** Plays a stream by hls.js, which chooses the quality by the measured speed and the size of the picture. */
export class Stream {
  #media;
  #url;
  #onFailure;
  #renditions;
  #hls;
  #hasRecovered = false;

  /**
   * @param {HTMLMediaElement} media
   * @param {object} options
   * @param {string} options.url of the main playlist
   * @param {import('./renditions.js').Renditions} options.renditions shows the qualities, and receives the viewer's choice
   * @param {(failure: { isFinal: boolean }) => void} options.onFailure isFinal false: hls.js retries by itself, possibly with another quality
   */
  constructor(media, { url, renditions, onFailure }) {
    this.#media = media;
    this.#url = url;
    this.#renditions = renditions;
    this.#onFailure = onFailure;
    this.#hls = this.#open();
    media.addEventListener('play', this.#loadAhead);
    renditions.addEventListener('change', this.#choose);
  }

  /** Requests the stream again, from its main playlist: files and formats may have changed. */
  retry() {
    const place = placeOf(this.#media);
    this.#hls.destroy();
    this.#hls = this.#open(place.currentTime);
    continueAt(this.#media, place);
  }

  /** Continues loading where it failed; loaded segments are kept. */
  resume() {
    if (this.#hls.levels.length === 0) this.#hls.loadSource(this.#url);
    else this.#hls.startLoad();
  }

  stop() {
    this.#media.removeEventListener('play', this.#loadAhead);
    this.#renditions.removeEventListener('change', this.#choose);
    this.#renditions.show([]);
    this.#hls.destroy();
  }

  #open(startPosition = -1) {
    const hls = new Hls({
      startPosition,
      enableWorker: false, // segments are not converted, and the policy of the page permits no worker
      capLevelToPlayerSize: true,
      abrEwmaDefaultEstimate: ASSUMED_SPEED,
      maxBufferLength: this.#media.paused ? AHEAD_BEFORE_START : AHEAD_SECONDS,
      maxMaxBufferLength: AHEAD_SECONDS,
      maxBufferSize: 0, // only the seconds count
    });
    hls.on(Hls.Events.MANIFEST_PARSED, () => this.#offerLevels(hls));
    hls.on(Hls.Events.ERROR, (_, { type, fatal }) => {
      if (fatal && type === Hls.ErrorTypes.MEDIA_ERROR && !this.#hasRecovered) {
        this.#hasRecovered = true;
        hls.recoverMediaError();
      } else if (fatal || type === Hls.ErrorTypes.NETWORK_ERROR) this.#onFailure({ isFinal: fatal });
    });
    hls.loadSource(this.#url);
    hls.attachMedia(this.#media);
    return hls;
  }

  #loadAhead = () => {
    this.#hls.config.maxBufferLength = AHEAD_SECONDS;
  };

  /** @param {Hls} hls */
  #offerLevels(hls) {
    const list = hls.levels.map(({ width, height, bitrate }, index) => ({ id: String(index), width, height, bitrate }));
    this.#renditions.show(list.filter(({ height }) => height > 0)); // sound has one quality
    const wanted = recall('quality');
    this.#renditions.selectedIndex = list.findIndex((rendition) => labelOf(rendition) === wanted);
  }

  #choose = () => {
    const { selectedIndex } = this.#renditions;
    const chosen = this.#hls.levels[selectedIndex];
    this.#hls.nextLevel = selectedIndex;
    keep('quality', chosen ? labelOf(chosen) : null);
  };
}

/** @param {{ width: number, height: number }} level */
const labelOf = ({ width, height }) => `${Math.min(width, height)}p`;
