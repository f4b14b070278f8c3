import { Seen } from './seen.js';

/** How often a page reports its position while it plays (contract section 13.6). */
const REPORT_MS = 20_000;

type PlayEvent = 'begin' | 'position' | 'pause' | 'end' | 'quality' | 'stall';

/** Where and as what a play is reported. */
export interface WatchOptions {
  readonly url: string;
  /** The token of this play, from the page. */
  readonly play: string;
}

/** Reports what is played, for the statistics of the owner. Each report contains all of the play so far, so that a lost one changes nothing. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #seen = new Seen();
  #media: HTMLMediaElement | null = null;
  #hasBegun = false;
  /** Seconds of this play on other media elements, and on this one. */
  #watched = 0;
  /** The place and time up to which the play was added up; null: it does not play, or jumps. */
  #last: { readonly position: number; readonly at: number } | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    // A page that is left may never run again.
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && this.#reportWhileBegun('position'));
    window.addEventListener('pagehide', () => this.#reportWhileBegun('position'));
  }

  /** Whether something was played, so that this play continues if the page loads its media again. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Observes a media element instead of an earlier one, which the page has removed. */
  observe(media: HTMLMediaElement): void {
    this.#last = null;
    this.#media = media;
    const on = (name: string, listener: () => void) => media.addEventListener(name, () => media === this.#media && listener());
    on('playing', () => this.#begin());
    on('timeupdate', () => this.#advance());
    on('seeking', () => this.#jump());
    on('seeked', () => this.#mark());
    on('waiting', () => !media.seeking && this.#reportWhileBegun('stall'));
    on('resize', () => this.#reportWhileBegun('quality'));
    on('pause', () => this.#stop(media.ended ? null : 'pause'));
    on('ended', () => this.#stop('end'));
    if (!media.paused && media.readyState > 2) this.#begin(); // it played before this script ran
  }

  #begin(): void {
    this.#mark();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#reportWhileBegun('position'), REPORT_MS);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#report('begin');
  }

  #stop(event: PlayEvent | null): void {
    this.#advance();
    this.#last = null;
    clearInterval(this.#timer);
    if (event) this.#reportWhileBegun(event);
  }

  #jump(): void {
    this.#last = null;
  }

  #mark(): void {
    const media = this.#media;
    this.#last = media && !media.paused && !media.seeking ? { position: media.currentTime, at: performance.now() } : null;
  }

  /** Adds what has played since the last call. While the film does not move, no time is watched. */
  #advance(): void {
    const [media, last] = [this.#media, this.#last];
    if (!media || !last) return this.#mark();
    const [position, now] = [media.currentTime, performance.now()];
    if (media.seeking || position < last.position) return this.#mark();
    if (position === last.position) {
      this.#last = { position, at: now };
      return;
    }
    this.#seen.add(last.position, position, media.duration);
    this.#watched += Math.min((now - last.at) / 1_000, (position - last.position) / Math.min(1, media.playbackRate || 1));
    this.#last = { position, at: now };
  }

  #reportWhileBegun(event: PlayEvent): void {
    if (!this.#hasBegun) return;
    this.#advance();
    this.#report(event);
  }

  #report(event: PlayEvent): void {
    const media = this.#media;
    if (!media) return;
    const length = Number.isFinite(media.duration) && media.duration > 0 ? media.duration : Number.POSITIVE_INFINITY;
    const height = media instanceof HTMLVideoElement ? media.videoHeight : 0;
    const report = {
      ...{ play: this.#options.play, event, position: rounded(Math.min(media.currentTime, length)) },
      ...{ watched: rounded(Math.min(this.#watched, length)), seen: String(this.#seen), height },
    };
    navigator.sendBeacon(this.#options.url, new Blob([JSON.stringify(report)], { type: 'application/json' }));
  }
}

const rounded = (seconds: number): number => Math.round(seconds * 10) / 10;
