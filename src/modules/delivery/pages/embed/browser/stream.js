import { continueAt, placeOf } from './place.js';
import { keep, recall } from './preferences.js';

/** Seconds that are loaded ahead: a film whose rules change must not continue from its buffer. One segment of four seconds may be added. */
const AHEAD_SECONDS = 16;
/** Seconds that are loaded before the viewer starts the film: one segment, for its first picture and its duration. */
const AHEAD_BEFORE_START = 1;
/** The assumed speed in bits per second until the first segment has been measured; most connections reach it. */
const ASSUMED_SPEED = 3_000_000;

/** @typedef {typeof import('hls.js').default} HlsClass */

/** The page shows the text tracks itself, as for files. */
const WITHOUT_TEXTS = { subtitleStreamController: undefined, subtitleTrackController: undefined, timelineController: undefined };

/** Plays a stream by hls.js, which chooses the quality by the measured speed and the size of the picture. */
export class Stream {
  #media;
  #url;
  #onFailure;
  #renditions;
  #sounds;
  #Hls;
  #hls;
  #hasRecovered = false;

  /**
   * @param {HTMLMediaElement} media
   * @param {object} options
   * @param {string} options.url of the main playlist
   * @param {HlsClass} options.Hls the build that plays it
   * @param {import('./renditions.js').Renditions} options.renditions shows the qualities, and receives the viewer's choice
   * @param {import('./sounds.js').Sounds} options.sounds shows the sounds, and receives the viewer's choice
   * @param {(failure: { isFinal: boolean }) => void} options.onFailure isFinal false: hls.js retries by itself, possibly with another quality
   */
  constructor(media, { url, Hls, renditions, sounds, onFailure }) {
    this.#media = media;
    this.#Hls = Hls;
    this.#sounds = sounds;
    this.#url = url;
    this.#renditions = renditions;
    this.#onFailure = onFailure;
    this.#hls = this.#open();
    media.addEventListener('play', this.#loadAhead);
    renditions.addEventListener('change', this.#choose);
    sounds.addEventListener('change', this.#chooseSound);
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
    this.#sounds.removeEventListener('change', this.#chooseSound);
    this.#renditions.show([]);
    this.#sounds.show([], -1);
    this.#hls.destroy();
  }

  #open(startPosition = -1) {
    const Hls = this.#Hls;
    const hls = new Hls({
      ...WITHOUT_TEXTS,
      startPosition,
      enableWorker: false, // segments are not converted, and the policy of the page permits no worker
      capLevelToPlayerSize: true,
      abrEwmaDefaultEstimate: ASSUMED_SPEED,
      maxBufferLength: this.#media.paused ? AHEAD_BEFORE_START : AHEAD_SECONDS,
      maxMaxBufferLength: AHEAD_SECONDS,
      maxBufferSize: 0, // only the seconds count
    });
    hls.on(Hls.Events.MANIFEST_PARSED, () => this.#offerLevels(hls));
    hls.on(Hls.Events.AUDIO_TRACKS_UPDATED, () => this.#offerSounds(hls));
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

  /** @param {InstanceType<HlsClass>} hls */
  #offerLevels(hls) {
    const list = hls.levels.map(({ width, height, bitrate }, index) => ({ id: String(index), width, height, bitrate }));
    this.#renditions.show(list.filter(({ height }) => height > 0)); // sound has one quality
    const wanted = recall('quality');
    this.#renditions.selectedIndex = list.findIndex((rendition) => labelOf(rendition) === wanted);
  }

  /** @param {InstanceType<HlsClass>} hls */
  #offerSounds(hls) {
    const list = hls.audioTracks.map(({ name, lang = '' }) => ({ label: name, language: lang }));
    const wanted = list.findIndex(({ label }) => label === recall('sound'));
    if (wanted !== -1) hls.audioTrack = wanted;
    this.#sounds.show(list, wanted === -1 ? hls.audioTrack : wanted);
  }

  #chooseSound = () => {
    const { selectedIndex } = this.#sounds;
    this.#hls.audioTrack = selectedIndex;
    keep('sound', this.#hls.audioTracks[selectedIndex]?.name ?? null);
  };

  #choose = () => {
    const { selectedIndex } = this.#renditions;
    const chosen = this.#hls.levels[selectedIndex];
    this.#hls.nextLevel = selectedIndex;
    keep('quality', chosen ? labelOf(chosen) : null);
  };
}

/** @param {{ width: number, height: number }} level */
const labelOf = ({ width, height }) => `${Math.min(width, height)}p`;
