// A frame asks for the consent in a window of its own, and goes on when the person has answered there or closed it.
const form = document.querySelector('[data-window]');
const { window: windowUrl, continue: continueUrl } = form.dataset;
const CLOSED_POLL_MS = 500;
let consentWindow = null;
let isGoingOn = false;

function goOn() {
  if (isGoingOn) return;
  isGoingOn = true;
  window.location.replace(continueUrl);
}

form.addEventListener('submit', (event) => {
  const query = new URLSearchParams(new FormData(form));
  consentWindow = window.open(`${windowUrl}?${query}`, '_blank', 'popup,width=480,height=720');
  if (!consentWindow) return; // blocked: the form opens a tab by itself
  event.preventDefault();
  const timer = setInterval(() => {
    if (!consentWindow.closed) return;
    clearInterval(timer);
    goOn();
  }, CLOSED_POLL_MS);
});

window.addEventListener('message', ({ origin, source, data }) => {
  if (origin !== window.location.origin || data?.type !== 'consent_answered') return;
  if (consentWindow === null || source === consentWindow) goOn();
});
