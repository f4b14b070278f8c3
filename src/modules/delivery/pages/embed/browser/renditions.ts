/** One quality of a stream, as media-chrome reads it. */
interface Rendition {
  readonly id: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** In bits per second. */
  readonly bitrate: number;
}

/** A list of which one member is selected, as media-chrome reads it. */
export class SelectableList<Member> extends EventTarget {
  list: readonly Member[] = [];
  /** The index that selectedIndex returns. */
  selected = -1;

  get length(): number {
    return this.list.length;
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.list[Symbol.iterator]();
  }

  /** Index of the member that is played, or that the viewer has just chosen; -1: none. */
  get selectedIndex(): number {
    return this.selected;
  }

  set selectedIndex(index: number) {
    if (index === this.selected) return;
    this.selected = index;
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * The qualities of a film for the quality menu of media-chrome, which expects such a list as `videoRenditions` of the media element
 * (https://github.com/video-dev/media-ui-extensions, proposal 0008). Without a selected member the quality is chosen automatically.
 */
export class Renditions extends SelectableList<Rendition> {
  show(list: readonly Rendition[]): void {
    const previous = this.list;
    this.list = list;
    this.selected = -1;
    for (const index of previous.keys()) Reflect.deleteProperty(this, index);
    Object.assign(this, list); // media-chrome also reads by index
    if (previous.length > 0) this.dispatchEvent(new Event('removerendition'));
    if (list.length > 0) this.dispatchEvent(new Event('addrendition'));
  }
}
