import { pollWhileVisible } from '../../../../../shared/web/browser/poll-while-visible.js';
import { goOnAt, placeOf } from './change-source.js';

/** Progress is told to screen readers at these steps, in per cent: one that speaks all the time is switched off. */
const STEP = 25;

/** @typedef {{ ready: boolean, progress: number | null, failed: boolean }} Outlook */

/** Shows how far the media is that is being made, and the media as soon as it is there. */
export function awaitMedia() {
  const [preparing, hint] = [document.getElementById('preparing'), document.getElementById('hint')];
  if (preparing) awaitAnything(preparing);
  else if (hint) awaitBetter(hint);
}

/** @param {HTMLElement} preparing */
function awaitAnything(preparing) {
  const [bar, status] = [preparing.querySelector('progress'), document.getElementById('preparing-status')];
  let spoken = Math.floor((bar?.value ?? 0) / STEP);
  pollWhileVisible(async () => {
    const outlook = await ask(preparing);
    // The page knows what to say when there is nothing to wait for any more.
    if (!outlook || outlook.ready || outlook.progress === null) {
      location.reload();
      return false;
    }
    const { progress } = outlook;
    if (bar) bar.value = progress;
    writePercent(preparing, progress);
    if (status && Math.floor(progress / STEP) > spoken) status.textContent = `${progress} percent`;
    spoken = Math.floor(progress / STEP);
    return true;
  });
}

/**
 * Nobody who looks at a preview is interrupted: what plays goes on until the viewer wants the other.
 * @param {HTMLElement} hint
 */
function awaitBetter(hint) {
  const media = document.getElementById('media');
  pollWhileVisible(async () => {
    const outlook = await ask(hint);
    if (outlook && outlook.progress !== null) {
      writePercent(hint, outlook.progress);
      return true;
    }
    if (!outlook || outlook.failed) hint.hidden = true;
    else if (media instanceof HTMLMediaElement) offerBetter(hint, media);
    else location.reload();
    return false;
  });
}

/**
 * @param {HTMLElement} hint
 * @param {HTMLMediaElement} media
 */
function offerBetter(hint, media) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'tool', textContent: 'Switch to it' });
  button.addEventListener('click', () => {
    history.replaceState({ place: placeOf(media) }, '');
    location.reload();
  });
  const status = hint.querySelector('[role=status]');
  if (status) status.textContent = 'Better quality is ready.';
  hint.querySelector('.percent')?.replaceWith(button);
}

/**
 * After a switch to something better the page goes on where it was.
 * @param {HTMLMediaElement} media
 */
export function goOnAfterSwitch(media) {
  const { place } = history.state ?? {};
  if (!place) return;
  history.replaceState(null, '');
  goOnAt(media, place);
}

/**
 * Null: this viewer does not get to see it any more. Throws when it is worth another try.
 * @param {HTMLElement} element
 * @returns {Promise<Outlook | null>}
 */
async function ask({ dataset }) {
  const answer = await fetch(dataset.progressUrl ?? '', { credentials: 'same-origin', headers: { accept: 'application/json' } });
  if (answer.ok) return await answer.json();
  if (answer.status === 429 || answer.status >= 500) throw new Error(`The service answered ${answer.status}.`);
  return null;
}

/**
 * @param {HTMLElement} element
 * @param {number} percent
 */
function writePercent(element, percent) {
  const text = element.querySelector('.percent');
  if (text) text.textContent = `${percent}\u00a0%`;
}
