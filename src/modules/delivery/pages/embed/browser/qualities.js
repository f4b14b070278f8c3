import { changeSource } from './change-source.js';
import { bestFirst, chooseQuality, lowerQuality } from './choose-quality.js';
import { lineSpeed, measureSpeed, savesData } from './line-speed.js';
import { keep, recall } from './preferences.js';
import { sourcesOf } from './sources.js';
import { watchStalls } from './watch-stalls.js';

/** @typedef {import('./sources.js').Source} Source */

/** Chooses the file to play: one that suits the screen and the connection, or the viewer's choice, which is remembered for other pages. */
export class Qualities {
  #media;
  #sources;
  #onChange;
  /** @type {Source | undefined} */
  #playing;
  /** Whether the viewer chose the current file. */
  #byHand = false;
  #hasStalled = false;
  /** @type {Set<Source>} files that failed to load */
  #broken = new Set();
  /** @type {HTMLSelectElement | null} */
  #menu = null;

  /**
   * @param {HTMLMediaElement} media
   * @param {{ onChange: () => void }} options called when another file has loaded
   */
  constructor(media, { onChange }) {
    this.#media = media;
    this.#sources = sourcesOf(media);
    this.#onChange = onChange;
    measureSpeed(media, () => this.#playing?.bitrate ?? null);
    const first = this.#sources[0]; // which the browser plays by default
    const wanted = this.#sources.find(({ label }) => label === recall('quality'));
    this.#byHand = wanted !== undefined;
    this.#playing = first;
    this.#play(wanted ?? this.#suitable());
    media.addEventListener('loadedmetadata', () => this.#notePlaying());
    if (this.#sources.length < 2) return;
    watchStalls(media, () => this.#stepDown());
    this.#offerMenu();
  }

  /** Plays another file instead of one that failed to load; false: no other file is left. */
  replaceBroken() {
    if (this.#playing) this.#broken.add(this.#playing);
    const other = this.#suitable();
    if (!other) return false;
    this.#play(other);
    return true;
  }

  #suitable() {
    const sources = this.#sources.filter((source) => !this.#broken.has(source));
    const [width, height] = [this.#media.clientWidth * devicePixelRatio, this.#media.clientHeight * devicePixelRatio];
    return sources[chooseQuality(sources, { width, height, speed: lineSpeed(), savesData: savesData() })];
  }

  /** Happens only once: otherwise a slow connection would go down to the lowest quality. */
  #stepDown() {
    if (this.#byHand || this.#hasStalled || !this.#playing) return;
    this.#hasStalled = true;
    this.#play(this.#sources[lowerQuality(this.#sources, this.#sources.indexOf(this.#playing))]);
  }

  /** @param {Source | undefined} source undefined: no change */
  #play(source) {
    if (!source || source === this.#playing) return;
    this.#playing = source;
    changeSource(this.#media, source.url, this.#onChange);
    this.#showChoice();
  }

  /** Until a file is chosen here, the browser continues with the next source when one fails to load. */
  #notePlaying() {
    this.#playing = this.#sources.find(({ url }) => url === this.#media.currentSrc) ?? this.#playing;
    this.#showChoice();
  }

  #offerMenu() {
    const [menu, label] = [document.getElementById('quality'), document.getElementById('quality-label')];
    if (!(menu instanceof HTMLSelectElement) || !label) return;
    const labels = bestFirst(this.#sources).map((source) => source.label);
    menu.replaceChildren(new Option('Auto', ''), ...labels.map((text) => new Option(text, text)));
    menu.addEventListener('change', () => this.#choose(menu.value));
    this.#menu = menu;
    this.#showChoice();
    label.hidden = false;
  }

  /** @param {string} label empty: automatic */
  #choose(label) {
    this.#byHand = label !== '';
    keep('quality', label || null);
    this.#play(this.#byHand ? this.#sources.find((source) => source.label === label) : this.#suitable());
    this.#showChoice();
  }

  #showChoice() {
    const [auto] = this.#menu?.options ?? [];
    if (!this.#menu || !auto) return;
    auto.text = this.#byHand || !this.#playing ? 'Auto' : `Auto (${this.#playing.label})`;
    this.#menu.value = this.#byHand && this.#playing ? this.#playing.label : '';
  }
}
