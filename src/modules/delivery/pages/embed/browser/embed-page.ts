import { awaitMedia } from './await-media.js';
import { offerChapters } from './chapters.js';
import { hideWhenIdle } from './hide-when-idle.js';
import { controlByKeys } from './keys.js';
import type { Refusal } from './lease.js';
import { continueAt, type Place } from './place.js';
import { Playback, showMessage } from './playback.js';
import { fetchContent, replaceContent, showRefusal } from './renew-page.js';
import { offerCopy } from './share.js';
import { announceDescriptions, controlSubtitles, showCaptions } from './subtitles.js';
import { Watch } from './watch.js';

let playback: Playback | null = null;
let watch: Watch | null = null;

start();
closeMenus();
controlByKeys();

/** `place`: the position at which the media continues. */
function start(place?: Place): void {
  const [player, media] = [document.getElementById('player'), document.getElementById('media')];
  if (player && media instanceof HTMLMediaElement) play(media, player.dataset, place);
  explainBrokenPicture();
  if (player?.matches('.video') && media instanceof HTMLMediaElement) hideWhenIdle(player, media);
  offerCopy();
  awaitMedia(renew);
}

function play(media: HTMLMediaElement, player: DOMStringMap, place?: Place): void {
  const { alwaysOn, stream, sounds, lease = '', renewal = '', plays = '', play: token = '' } = player;
  controlSubtitles(media, { alwaysOn: alwaysOn === 'true' });
  announceDescriptions(media);
  offerChapters(media);
  if (media instanceof HTMLAudioElement) showCaptions(media);
  if (place) continueAt(media, place);
  if (!watch?.hasBegun) watch = new Watch({ url: plays, play: token });
  watch.observe(media);
  const onRefusal = (refusal: Refusal) => showRefusal(refusal, () => renew(renewal));
  playback = new Playback(media, { stream: stream || null, hasSounds: sounds === 'true', lease, onRefusal });
  if (media.slot === 'media') void customElements.whenDefined('media-controller').then(() => hideOwnControls(media));
}

/** Replaces a picture that the browser cannot show by the reason. */
function explainBrokenPicture(): void {
  const picture = document.querySelector('.picture');
  if (!(picture instanceof HTMLImageElement)) return;
  const explain = () => {
    picture.hidden = true;
    showMessage(document.getElementById('trouble')?.dataset.reason ?? '');
  };
  picture.addEventListener('error', explain);
  if (picture.complete && picture.naturalWidth === 0) explain(); // it failed before this script ran
}

/** Hides the browser's own controls, which are shown without scripts and until those of media-chrome are ready. */
function hideOwnControls(media: HTMLMediaElement): void {
  if (media.parentElement?.localName === 'media-controller') media.controls = false;
}

async function renew(url: string, place?: Place): Promise<void> {
  const content = await fetchContent(url);
  playback?.stop();
  playback = null;
  replaceContent(content);
  start(place);
}

/** Closes open menus, which cover the media, on Escape and on a click elsewhere. */
function closeMenus(): void {
  const openMenus = () => [...document.querySelectorAll('details')].filter(({ open }) => open);
  document.addEventListener('click', ({ target }) => {
    for (const menu of openMenus()) if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
