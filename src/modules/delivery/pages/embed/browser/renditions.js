/**
 * @typedef {object} Rendition one quality of a stream, as media-chrome reads it
 * @property {string} id
 * @property {number} width pixels
 * @property {number} height
 * @property {number} bitrate bits per second
 */

/**
 * The qualities of a film for the quality menu of media-chrome, which expects such a list as `videoRenditions` of the media element
 * (https://github.com/video-dev/media-ui-extensions, proposal 0008).
 */
export class Renditions extends EventTarget {
  /** @type {readonly Rendition[]} */
  #list = [];
  #selected = -1;

  get length() {
    return this.#list.length;
  }

  [Symbol.iterator]() {
    return this.#list[Symbol.iterator]();
  }

  /** Index of the viewer's choice; -1: automatic. */
  get selectedIndex() {
    return this.#selected;
  }

  set selectedIndex(index) {
    if (index === this.#selected) return;
    this.#selected = index;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {readonly Rendition[]} list */
  show(list) {
    const previous = this.#list;
    this.#list = list;
    this.#selected = -1;
    for (const index of previous.keys()) Reflect.deleteProperty(this, index);
    Object.assign(this, list); // media-chrome also reads by index
    if (previous.length > 0) this.dispatchEvent(new Event('removerendition'));
    if (list.length > 0) this.dispatchEvent(new Event('addrendition'));
  }
}
