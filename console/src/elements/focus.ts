/** Focuses a heading, which cannot be reached by the Tab key; by default the title of the page. */
export function focusHeading(heading = document.querySelector<HTMLElement>('main h1')): void {
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

const CONTROLS = 'a[href], button:not([disabled]), input:not([disabled])';

/**
 * Call it in the handler that removes items (table rows, entries of a form), with the control that was used: the same control of the item that takes the
 * place is focused then, else one of the item before it, else the heading above the list. Items are the siblings with `data-item`.
 */
export function focusAfterRemoval(control: Element): void {
  const item = control.closest<HTMLElement>('[data-item]');
  const list = item?.parentElement;
  if (!item || !list) return;
  const place = itemsOf(list).indexOf(item);
  const at = [...item.querySelectorAll(CONTROLS)].indexOf(control);
  const headings = [...document.querySelectorAll<HTMLElement>('main :is(h1, h2, h3, h4)')];
  const above = headings.filter((heading) => heading.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING);
  requestAnimationFrame(() => {
    const items = list.isConnected ? itemsOf(list) : [];
    const controls = [...((items[place] ?? items[place - 1])?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];
    const next = controls[at] ?? controls.at(-1);
    if (next) next.focus();
    else focusHeading(above.findLast(({ isConnected }) => isConnected));
  });
}

const itemsOf = (list: Element): HTMLElement[] => [...list.querySelectorAll<HTMLElement>(':scope > [data-item]')];
