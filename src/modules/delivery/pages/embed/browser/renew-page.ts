import type { Refusal } from './lease.js';

/** Content of a page of this service: the player, or the message of a denial. */
const CONTENT = '.player, .denied';

/**
 * Fetches the current content of the page. The page is not reloaded: in the frame of another site a reload would send the page itself as
 * referer, which no rule permits. Throws if the service does not answer.
 */
export async function fetchContent(url: string): Promise<Element | null> {
  const answer = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/html' } });
  if (answer.status >= 500) throw new Error(`The service answered ${answer.status}.`);
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return now.querySelector(CONTENT);
}

/** `content` is null: the page stays as it is. */
export function replaceContent(content: Element | null): void {
  if (content) document.querySelector(CONTENT)?.replaceWith(document.adoptNode(content));
}

/** Shows in place of the player why it has stopped. */
export function showRefusal({ code, detail }: Refusal, retry: () => Promise<void>): void {
  const [denied, title, button, note] = ['main', 'h1', 'button', 'p'].map((name) => document.createElement(name));
  if (!denied || !title || !button || !note) return;
  denied.className = 'denied';
  denied.setAttribute('role', 'alert');
  title.textContent = detail;
  Object.assign(button, { type: 'button', className: 'button', textContent: 'Try again' });
  button.addEventListener('click', () => void retry().catch(() => {})); // the viewer can press it again
  note.className = 'note';
  note.append('Code ', Object.assign(document.createElement('code'), { textContent: code }));
  denied.append(title, button, note);
  replaceContent(denied);
}
