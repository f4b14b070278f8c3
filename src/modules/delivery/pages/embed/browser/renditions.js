/**
 * @typedef {object} Rendition one quality of a stream, as media-chrome reads it
 * @property {string} id
 * @property {number} width pixels
 * @property {number} height
 * @property {number} bitrate bits per second
 */

/**
 * A list of which one member is selected, as media-chrome reads it.
 * @template Member
 */
export class SelectableList extends EventTarget {
  /** @type {readonly Member[]} */
  list = [];
  /** The index that selectedIndex returns. */
  selected = -1;

  get length() {
    return this.list.length;
  }

  [Symbol.iterator]() {
    return this.list[Symbol.iterator]();
  }

  /** Index of the member that is played, or that the viewer has just chosen; -1: none. */
  get selectedIndex() {
    return this.selected;
  }

  set selectedIndex(index) {
    if (index === this.selected) return;
    this.selected = index;
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * The qualities of a film for the quality menu of media-chrome, which expects such a list as `videoRenditions` of the media element
 * (https://github.com/video-dev/media-ui-extensions, proposal 0008). Without a selected member the quality is chosen automatically.
 * @extends {SelectableList<Rendition>}
 */
export class Renditions extends SelectableList {
  /** @param {readonly Rendition[]} list */
  show(list) {
    const previous = this.list;
    this.list = list;
    this.selected = -1;
    for (const index of previous.keys()) Reflect.deleteProperty(this, index);
    Object.assign(this, list); // media-chrome also reads by index
    if (previous.length > 0) this.dispatchEvent(new Event('removerendition'));
    if (list.length > 0) this.dispatchEvent(new Event('addrendition'));
  }
}
