import { awaitMedia } from './await-media.js';
import { continueAt } from './change-source.js';
import { hideWhenIdle } from './hide-when-idle.js';
import { keepLease } from './keep-lease.js';
import { Qualities } from './qualities.js';
import { recoverFromErrors } from './recover.js';
import { renewPage } from './renew-page.js';
import { offerCopy } from './share.js';
import { controlSubtitles, showCaptions } from './subtitles.js';

start();
closeMenus();

/** @param {import('./change-source.js').Place} [place] the position at which the media continues */
function start(place) {
  const [player, media] = [document.getElementById('player'), document.getElementById('media')];
  if (player && media instanceof HTMLMediaElement) {
    const subtitles = controlSubtitles(media, { alwaysOn: player.dataset.alwaysOn === 'true' });
    if (place) continueAt(media, place);
    const qualities = new Qualities(media, { onChange: subtitles.restore });
    recoverFromErrors(media, qualities);
    keepLease(media, player.dataset.lease ?? '');
    if (media instanceof HTMLAudioElement) showCaptions(media);
  }
  if (player?.matches('.video, .image')) hideWhenIdle(player, media instanceof HTMLMediaElement ? media : null);
  offerCopy();
  awaitMedia(async (url, position) => {
    await renewPage(url);
    start(position);
  });
}

/** Closes open menus, which cover the media, at Escape and at a click elsewhere. */
function closeMenus() {
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
