// Ways on for a sign-in whose frame keeps no cookies: a window of its own, or the browser's leave to use cookies here.
const ways = document.querySelector('[data-window]');
const { window: windowUrl, retry: retryUrl, receiver, origin } = ways.dataset;
const [openWindow, askForCookies] = ways.querySelectorAll('button');
let signInWindow = null;

openWindow.addEventListener('click', () => {
  signInWindow = window.open(windowUrl, '_blank', 'popup,width=480,height=720');
});

window.addEventListener('message', (event) => {
  if (event.origin !== window.location.origin || signInWindow === null || event.source !== signInWindow) return;
  if (receiver === 'parent') window.parent.postMessage(event.data.response, origin);
  else window.location.replace(event.data.redirect);
});

if (document.requestStorageAccess) {
  document.hasStorageAccess().then((granted) => {
    askForCookies.hidden = granted; // granted, and the cookies are still missing: asking again would not help
  });
  askForCookies.addEventListener('click', () => {
    document.requestStorageAccess().then(
      () => window.location.replace(retryUrl),
      () => {
        askForCookies.hidden = true;
      },
    );
  });
}
