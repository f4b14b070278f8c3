import type HlsPlayer from 'hls.js';
import { continueAt, placeOf } from './place.js';
import { keep, recall } from './preferences.js';
import type { Renditions } from './renditions.js';
import type { Sounds } from './sounds.js';

/** Seconds that are loaded ahead: a film whose rules change must not continue from its buffer. One segment of four seconds may be added. */
const AHEAD_SECONDS = 16;
/** Seconds that are loaded before the viewer starts the film: one segment, for its first picture and its duration. */
const AHEAD_BEFORE_START = 1;
/** The assumed speed in bits per second until the first segment has been measured; most connections reach it. */
const ASSUMED_SPEED = 3_000_000;

/** The page shows the text tracks itself, as for files. */
const WITHOUT_TEXTS = { subtitleStreamController: undefined, subtitleTrackController: undefined, timelineController: undefined };

export interface Failure {
  /** False: hls.js retries by itself, possibly with another quality. */
  readonly isFinal: boolean;
}

interface StreamOptions {
  /** URL of the main playlist. */
  readonly url: string;
  /** The build that plays it. */
  readonly Hls: typeof HlsPlayer;
  /** Shows the qualities, and receives the viewer's choice. */
  readonly renditions: Renditions;
  /** Shows the sounds, and receives the viewer's choice. */
  readonly sounds: Sounds;
  readonly onFailure: (failure: Failure) => void;
}

/** Plays a stream by hls.js, which chooses the quality by the measured speed and the size of the picture. */
export class Stream {
  readonly #media: HTMLMediaElement;
  readonly #url: string;
  readonly #onFailure: (failure: Failure) => void;
  readonly #renditions: Renditions;
  readonly #sounds: Sounds;
  readonly #Hls: typeof HlsPlayer;
  #hls: HlsPlayer;
  #hasRecovered = false;

  constructor(media: HTMLMediaElement, { url, Hls, renditions, sounds, onFailure }: StreamOptions) {
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
  retry(): void {
    const place = placeOf(this.#media);
    this.#hls.destroy();
    this.#hls = this.#open(place.currentTime);
    continueAt(this.#media, place);
  }

  /** Continues loading where it failed; loaded segments are kept. */
  resume(): void {
    if (this.#hls.levels.length === 0) this.#hls.loadSource(this.#url);
    else this.#hls.startLoad();
  }

  stop(): void {
    this.#media.removeEventListener('play', this.#loadAhead);
    this.#renditions.removeEventListener('change', this.#choose);
    this.#sounds.removeEventListener('change', this.#chooseSound);
    this.#renditions.show([]);
    this.#sounds.show([], -1);
    this.#hls.destroy();
  }

  #open(startPosition = -1): HlsPlayer {
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

  readonly #loadAhead = (): void => {
    this.#hls.config.maxBufferLength = AHEAD_SECONDS;
  };

  #offerLevels(hls: HlsPlayer): void {
    const list = hls.levels.map(({ width, height, bitrate }, index) => ({ id: String(index), width, height, bitrate }));
    this.#renditions.show(list.filter(({ height }) => height > 0)); // sound has one quality
    const wanted = recall('quality');
    this.#renditions.selectedIndex = list.findIndex((rendition) => labelOf(rendition) === wanted);
  }

  #offerSounds(hls: HlsPlayer): void {
    const list = hls.audioTracks.map(({ name, lang = '' }) => ({ label: name, language: lang }));
    const wanted = list.findIndex(({ label }) => label === recall('sound'));
    if (wanted !== -1) hls.audioTrack = wanted;
    this.#sounds.show(list, wanted === -1 ? hls.audioTrack : wanted);
  }

  readonly #chooseSound = (): void => {
    const { selectedIndex } = this.#sounds;
    this.#hls.audioTrack = selectedIndex;
    keep('sound', this.#hls.audioTracks[selectedIndex]?.name ?? null);
  };

  readonly #choose = (): void => {
    const { selectedIndex } = this.#renditions;
    const chosen = this.#hls.levels[selectedIndex];
    this.#hls.nextLevel = selectedIndex;
    keep('quality', chosen ? labelOf(chosen) : null);
  };
}

const labelOf = ({ width, height }: { readonly width: number; readonly height: number }): string => `${Math.min(width, height)}p`;
