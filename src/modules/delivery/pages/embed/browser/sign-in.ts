/** The window of a sign-in, in pixels. */
const WINDOW = 'popup,width=480,height=720';

postPass();
openInWindow();

/** In the window: sends the pass to the frame that opened it. */
function postPass(): void {
  const signedIn = document.querySelector('[data-pass]');
  if (!(signedIn instanceof HTMLElement) || !window.opener) return;
  const { pass, origin = '' } = signedIn.dataset;
  window.opener.postMessage({ type: 'signed_in', pass }, origin);
  window.close();
}

/** In a frame: opens the sign-in in a separate window, because it cannot be framed, and then continues with the player. */
function openInWindow(): void {
  const link = document.getElementById('sign-in');
  if (!(link instanceof HTMLAnchorElement) || window.top === window) return;
  let opened: Window | null = null;
  const url = new URL(link.href);
  url.searchParams.set('window', '1');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    opened = window.open(url, '_blank', WINDOW);
  });
  window.addEventListener('message', ({ origin, source, data }) => {
    if (origin !== url.origin || opened === null || source !== opened || typeof data?.pass !== 'string') return;
    const player = new URL(window.location.href);
    player.searchParams.set('auth', data.pass);
    const { admission } = link.dataset;
    if (admission) {
      player.pathname = player.pathname.replace(/\/?$/, '/player'); // the page itself would check the referer, which is now this page
      player.searchParams.set('admission', admission);
    }
    window.location.replace(player);
  });
}
