/** Content of a page of this service: the player, or the message of a denial. */
const CONTENT = '.player, .denied';

/**
 * Replaces the content of the page with the current one. It does not reload the page: in the frame of another site a reload would send the
 * page itself as referer, which no rule permits. Throws if the service does not answer.
 * @param {string} url
 */
export async function renewPage(url) {
  const answer = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/html' } });
  if (answer.status >= 500) throw new Error(`The service answered ${answer.status}.`);
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const content = now.querySelector(CONTENT);
  if (content) document.querySelector(CONTENT)?.replaceWith(document.adoptNode(content));
}
