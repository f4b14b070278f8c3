import { Files } from './files.js';
import { Lease, type Refusal } from './lease.js';
import { Renditions } from './renditions.js';
import { offerSounds, Sounds } from './sounds.js';
import type { Failure, Stream } from './stream.js';

/** A file or stream that fails again within this time counts as unplayable. */
const RETRY_WINDOW_MS = 10_000;
const HAS_MEDIA_SOURCE = 'MediaSource' in window || 'ManagedMediaSource' in window;
/** Pause before the next attempt while the service cannot be reached. */
const UNREACHABLE_MS = 5_000;

interface PlaybackOptions {
  /** URL of the main playlist; null: there are only files. */
  readonly stream: string | null;
  /** Whether the stream has several sounds. */
  readonly hasSounds: boolean;
  /** URL that renews the lease of this play. */
  readonly lease: string;
  /** Called when the film has stopped for good. */
  readonly onRefusal: (refusal: Refusal) => void;
}

/**
 * Plays the media of the page: its stream by hls.js, or by the browser itself if it has no Media Source Extensions; otherwise a file. It
 * stops when the rules no longer admit the viewer.
 */
export class Playback {
  readonly #media: HTMLMediaElement;
  readonly #options: PlaybackOptions;
  readonly #lease: Lease;
  readonly #renditions = new Renditions();
  readonly #sounds = new Sounds();
  /** Null: hls.js is still loading. */
  #engine: Files | Stream | null = null;
  #hasStopped = false;
  #isRecovering = false;
  /** Whether it waits for the connection. */
  #isWaiting = false;
  #retriedAt = Number.NEGATIVE_INFINITY;
  #hasPlayed: boolean;

  constructor(media: HTMLMediaElement, options: PlaybackOptions) {
    this.#media = media;
    this.#options = options;
    this.#hasPlayed = media.readyState > 0; // the file may have loaded before this script
    this.#lease = new Lease(options.lease, (refusal) => {
      this.stop();
      options.onRefusal(refusal);
    });
    this.#lease.keepWhilePlaying(media);
    Object.assign(media, { videoRenditions: this.#renditions });
    if (options.hasSounds && HAS_MEDIA_SOURCE) {
      // Instead of the list of the browser, if it has one: that is empty for streams which hls.js plays.
      Object.defineProperty(media, 'audioTracks', { value: this.#sounds, configurable: true });
      offerSounds(this.#sounds);
    }
    media.addEventListener('loadedmetadata', () => {
      this.#hasPlayed = true;
      showMessage('');
    });
    void this.#start();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#lease.stop();
    this.#media.pause();
    this.#engine?.stop();
  }

  async #start(): Promise<void> {
    const { stream } = this.#options;
    if (stream === null || !HAS_MEDIA_SOURCE) return this.#playFiles(stream);
    const build = this.#options.hasSounds ? import('./hls-full.js') : import('./hls-light.js');
    const [script, library] = await Promise.all([import('./stream.js'), build]).catch(() => []);
    if (this.#hasStopped) return;
    if (!script || !library?.Hls.isSupported()) return this.#playFiles(stream);
    const { Hls } = library;
    const onFailure = (failure: Failure) => void this.#recover(failure);
    this.#engine = new script.Stream(this.#media, { url: stream, Hls, renditions: this.#renditions, sounds: this.#sounds, onFailure });
  }

  /** `stream`: the URL of the stream, if the browser may be able to play it by itself. */
  #playFiles(stream: string | null): void {
    const isPlayed = stream !== null && this.#media.canPlayType('application/vnd.apple.mpegurl') !== '';
    this.#engine = new Files(this.#media, { stream: isPlayed ? stream : null, onFailure: () => void this.#recover({ isFinal: true }) });
  }

  /**
   * Recovers from a failure, because URLs expire and connections fail. While the service admits the viewer, the file or stream is requested
   * again, and replaced if it fails again.
   */
  async #recover({ isFinal }: Failure): Promise<void> {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    const answer = await this.#lease.renew();
    this.#isRecovering = false;
    if (this.#hasStopped || answer === 'refused') return;
    if (answer === 'unreachable') return this.#awaitConnection();
    if (!isFinal) return;
    if (this.#hasPlayed && performance.now() - this.#retriedAt > RETRY_WINDOW_MS) {
      this.#retriedAt = performance.now();
      this.#engine?.retry();
    } else if (!this.#replace()) showMessage(this.#reason);
  }

  /** Plays files instead of a stream that cannot be played; false: nothing is left. */
  #replace(): boolean {
    if (this.#engine instanceof Files) return this.#engine.replace();
    this.#engine?.stop();
    this.#playFiles(null);
    return this.#media.querySelector('source') !== null;
  }

  async #awaitConnection(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    showMessage('The connection is interrupted. Playback continues as soon as it is restored.');
    do await nextAttempt();
    while (!this.#hasStopped && (await this.#lease.renew()) === 'unreachable');
    this.#isWaiting = false;
    if (this.#hasStopped) return;
    showMessage('');
    if (this.#engine instanceof Files) this.#engine.retry();
    else this.#engine?.resume();
  }

  get #reason(): string {
    return document.getElementById('trouble')?.dataset.reason ?? 'This cannot be played at the moment. Reload the page.';
  }
}

/** Resolves after a pause, or as soon as the browser has a connection. */
const nextAttempt = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, UNREACHABLE_MS);
    window.addEventListener('online', () => resolve(), { once: true });
  });

/** Shows why nothing is shown or played; an empty text removes it. */
export function showMessage(text: string): void {
  const trouble = document.getElementById('trouble');
  if (!trouble || trouble.textContent === text) return;
  trouble.textContent = text;
  trouble.hidden = text === '';
}
