/**
 * An element of the page; throws if it is missing or of another kind.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/**
 * The first element in `parent` that matches; throws if there is none.
 * @template {HTMLElement} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function within(parent, selector, kind) {
  const element = parent.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`There is no ${kind.name} ${selector}.`);
}

/**
 * Writes a text only if it differs, so that screen readers and the layout are not disturbed.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @param {HTMLElement} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/**
 * Moves the focus to an element and scrolls it into view.
 * @param {HTMLElement} element
 */
export function moveFocus(element) {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}
