/** What a page of ours shows: the player, or why there is none. */
const CONTENT = '.player, .denied';

/**
 * Puts what the page would show now in the place of what it shows. It is not loaded again: in the frame of another site it would name itself as
 * referer, which no rule lets in. Throws when the service does not answer.
 * @param {string} url
 */
export async function renewPage(url) {
  const answer = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/html' } });
  if (answer.status >= 500) throw new Error(`The service answered ${answer.status}.`);
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const content = now.querySelector(CONTENT);
  if (content) document.querySelector(CONTENT)?.replaceWith(document.adoptNode(content));
}
