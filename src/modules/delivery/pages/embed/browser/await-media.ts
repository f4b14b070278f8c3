import { pollWhileVisible } from '../../../../../shared/web/browser/poll-while-visible.js';
import { type Place, placeOf } from './place.js';

/** Progress is announced to screen readers in steps of this many percent; more announcements would disturb the listener. */
const ANNOUNCEMENT_STEP = 25;

interface ProgressResponse {
  readonly ready: boolean;
  readonly progress: number | null;
  readonly failed: boolean;
  readonly reason: string | null;
}

/** Replaces the content of the page with the current one. */
type Renew = (url: string, place?: Place) => Promise<void>;

/** Shows the progress of media that is being made, and then the media once it is ready. */
export function awaitMedia(renew: Renew): void {
  const [preparing, hint] = [document.getElementById('preparing'), document.getElementById('hint')];
  if (preparing) awaitFirstMedia(preparing, renew);
  else if (hint) awaitBetterQuality(hint, renew);
}

function awaitFirstMedia(preparing: HTMLElement, renew: Renew): void {
  const bar = preparing.querySelector('progress');
  let announcedStep = Math.floor((bar?.value ?? 0) / ANNOUNCEMENT_STEP);
  pollWhileVisible(async () => {
    const response = await fetchProgress(preparing);
    // The renewed page shows why nothing is in progress any more.
    if (!response || response.ready || response.progress === null) {
      await renew(preparing.dataset.renewalUrl ?? '');
      announce(response?.ready ? 'The media is ready.' : (document.querySelector('.message')?.textContent ?? ''));
      return false;
    }
    if (bar) bar.value = response.progress;
    writePercent(preparing, response.progress);
    const step = Math.floor(response.progress / ANNOUNCEMENT_STEP);
    if (step > announcedStep) announce(`${response.progress} percent`);
    announcedStep = step;
    return true;
  });
}

/** A playing preview is not interrupted: it continues until the viewer switches to the other file. */
function awaitBetterQuality(hint: HTMLElement, renew: Renew): void {
  const media = document.getElementById('media');
  pollWhileVisible(async () => {
    const response = await fetchProgress(hint);
    if (response && response.progress !== null) {
      writePercent(hint, response.progress);
      return true;
    }
    if (!response) hint.hidden = true;
    else if (response.failed) showShortfall(hint, response);
    else if (media instanceof HTMLMediaElement) offerBetterQuality(hint, media, renew);
    else await renew(hint.dataset.renewalUrl ?? '');
    return false;
  });
}

function showShortfall(hint: HTMLElement, { reason }: ProgressResponse): void {
  hint.textContent = `Better quality could not be prepared. ${reason ?? ''}`.trim();
  announce(hint.textContent);
}

function offerBetterQuality(hint: HTMLElement, media: HTMLMediaElement, renew: Renew): void {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'tool', textContent: 'Switch now' });
  button.addEventListener('click', () => void renew(hint.dataset.renewalUrl ?? '', placeOf(media)).catch(() => {})); // the viewer can press it again
  const words = hint.querySelector('.words');
  if (words) words.textContent = 'Better quality is ready.';
  hint.querySelector('.percent')?.replaceWith(button);
  announce('Better quality is ready.');
}

/** Fetches the progress; null: this viewer may no longer see the media. Throws if a later attempt may succeed. */
async function fetchProgress({ dataset }: HTMLElement): Promise<ProgressResponse | null> {
  const answer = await fetch(dataset.progressUrl ?? '', { credentials: 'same-origin', headers: { accept: 'application/json' } });
  if (answer.ok) return await answer.json();
  if (answer.status === 429 || answer.status >= 500) throw new Error(`The service answered ${answer.status}.`);
  return null;
}

function writePercent(element: HTMLElement, percent: number): void {
  const text = element.querySelector('.percent');
  if (text) text.textContent = `${percent}\u00a0%`;
}

/** Announces a text to screen readers. */
function announce(text: string): void {
  const announcement = document.getElementById('announcement');
  if (announcement) announcement.textContent = text;
}
