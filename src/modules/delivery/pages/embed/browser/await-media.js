import { pollWhileVisible } from '../../../../../shared/web/browser/poll-while-visible.js';
import { placeOf } from './change-source.js';

/** Progress is told to screen readers at these steps, in per cent: one that speaks all the time is switched off. */
const STEP = 25;

/**
 * @typedef {{ ready: boolean, progress: number | null, failed: boolean, reason: string | null }} Outlook
 * @typedef {(url: string, place?: import('./change-source.js').Place) => Promise<void>} Renew shows the page as it is now
 */

/**
 * Shows how far the media is that is being made, and the media as soon as it is there.
 * @param {Renew} renew
 */
export function awaitMedia(renew) {
  const [preparing, hint] = [document.getElementById('preparing'), document.getElementById('hint')];
  if (preparing) awaitAnything(preparing, renew);
  else if (hint) awaitBetter(hint, renew);
}

/**
 * @param {HTMLElement} preparing
 * @param {Renew} renew
 */
function awaitAnything(preparing, renew) {
  const bar = preparing.querySelector('progress');
  let spoken = Math.floor((bar?.value ?? 0) / STEP);
  pollWhileVisible(async () => {
    const outlook = await ask(preparing);
    // The page knows what to say when there is nothing to wait for any more.
    if (!outlook || outlook.ready || outlook.progress === null) {
      await renew(preparing.dataset.renewalUrl ?? '');
      announce(outlook?.ready ? 'It is ready.' : (document.querySelector('.message')?.textContent ?? ''));
      return false;
    }
    if (bar) bar.value = outlook.progress;
    writePercent(preparing, outlook.progress);
    const step = Math.floor(outlook.progress / STEP);
    if (step > spoken) announce(`${outlook.progress} percent`);
    spoken = step;
    return true;
  });
}

/**
 * A preview that plays is not interrupted: it goes on until the viewer asks for the other file.
 * @param {HTMLElement} hint
 * @param {Renew} renew
 */
function awaitBetter(hint, renew) {
  const media = document.getElementById('media');
  pollWhileVisible(async () => {
    const outlook = await ask(hint);
    if (outlook && outlook.progress !== null) {
      writePercent(hint, outlook.progress);
      return true;
    }
    if (!outlook) hint.hidden = true;
    else if (outlook.failed) showShortfall(hint, outlook);
    else if (media instanceof HTMLMediaElement) offerBetter(hint, media, renew);
    else await renew(hint.dataset.renewalUrl ?? '');
    return false;
  });
}

/**
 * @param {HTMLElement} hint
 * @param {Outlook} outlook
 */
function showShortfall(hint, { reason }) {
  hint.textContent = `Better quality could not be prepared. ${reason ?? ''}`.trim();
  announce(hint.textContent);
}

/**
 * @param {HTMLElement} hint
 * @param {HTMLMediaElement} media
 * @param {Renew} renew
 */
function offerBetter(hint, media, renew) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'tool', textContent: 'Switch to it' });
  button.addEventListener('click', () => void renew(hint.dataset.renewalUrl ?? '', placeOf(media)).catch(() => {})); // it can be pressed again
  const words = hint.querySelector('.words');
  if (words) words.textContent = 'Better quality is ready.';
  hint.querySelector('.percent')?.replaceWith(button);
  announce('Better quality is ready.');
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

/**
 * For people who do not see the page.
 * @param {string} text
 */
function announce(text) {
  const announcement = document.getElementById('announcement');
  if (announcement) announcement.textContent = text;
}
