import { changeSource } from './change-source.js';
import { bestFirst, chooseQuality, lowerQuality } from './choose-quality.js';
import { lineSpeed, measureSpeed, savesData } from './line-speed.js';
import { keep, recall } from './preferences.js';
import { sourcesOf } from './sources.js';
import { watchStalls } from './watch-stalls.js';

/** @typedef {import('./sources.js').Source} Source */

/** Which of the files plays: one that suits the screen and the line, or the one that the viewer wants, on the next page too. */
export class Qualities {
  #media;
  #sources;
  #onChange;
  /** @type {Source | undefined} */
  #playing;
  /** Whether the viewer wants this one and no other. */
  #byHand = false;
  #hasStalled = false;
  /** @type {Set<Source>} what cannot be had */
  #broken = new Set();
  /** @type {HTMLSelectElement | null} */
  #menu = null;

  /**
   * @param {HTMLMediaElement} media
   * @param {{ onChange: () => void }} options called when another file is there
   */
  constructor(media, { onChange }) {
    this.#media = media;
    this.#sources = sourcesOf(media);
    this.#onChange = onChange;
    measureSpeed(media, () => this.#playing?.bitrate ?? null);
    const first = this.#sources[0]; // which the browser plays by itself
    const wanted = this.#sources.find(({ label }) => label === recall('quality'));
    this.#byHand = wanted !== undefined;
    this.#playing = first;
    this.#play(wanted ?? this.#suitable());
    media.addEventListener('loadedmetadata', () => this.#notePlaying());
    if (this.#sources.length < 2) return;
    watchStalls(media, () => this.#stepDown());
    this.#offerMenu();
  }

  /** Plays another file than the one that cannot be had; false: there is none. */
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

  /** Once: a line that carries the next one neither would go down and down. */
  #stepDown() {
    if (this.#byHand || this.#hasStalled || !this.#playing) return;
    this.#hasStalled = true;
    this.#play(this.#sources[lowerQuality(this.#sources, this.#sources.indexOf(this.#playing))]);
  }

  /** @param {Source | undefined} source undefined: it stays as it is */
  #play(source) {
    if (!source || source === this.#playing) return;
    this.#playing = source;
    changeSource(this.#media, source.url, this.#onChange);
    this.#showChoice();
  }

  /** As long as nothing was chosen here the browser goes on to the next file by itself when it cannot have one. */
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

  /** @param {string} label empty: whatever suits */
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
