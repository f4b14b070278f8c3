/** An element of the page; throws if it is missing or of another kind. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/** The first element in `parent` that matches; throws if it is missing or of another kind. */
export function within<T extends HTMLElement>(parent: ParentNode, selector: string, kind: new () => T): T {
  const element = parent.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} ${selector}.`);
}

/** A copy of the content of a template. */
export const copyOf = ({ content }: HTMLTemplateElement): DocumentFragment => document.importNode(content, true);

/** Writes a text only if it differs, so that screen readers and the layout are not disturbed. */
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element: HTMLElement, isVisible: boolean): void {
  if (element.hidden === isVisible) element.hidden = !isVisible;
}

/** Moves the focus to an element and scrolls it into view. */
export function moveFocus(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}

/** Step of progress in percent, and minimum interval, between announcements; more of them would disturb users of screen readers. */
const STEP = 25;
const MIN_INTERVAL_MS = 15_000;

/** Announces texts to screen readers. */
export class Announcer {
  #element = byId('announcement', HTMLElement);
  #step = 0;
  #spokenAt = 0;

  say(text: string): void {
    this.#element.textContent = text;
    this.#spokenAt = Date.now();
  }

  /** Announces a progress in percent by `text`, if enough has changed since the last announcement. */
  progress(percent: number, text: string): void {
    const step = Math.floor(percent / STEP);
    if (step === this.#step || Date.now() - this.#spokenAt < MIN_INTERVAL_MS) return;
    this.#step = step;
    this.say(text);
  }
}
