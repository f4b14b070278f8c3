import { awaitMedia, goOnAfterSwitch } from './await-media.js';
import { keepLease } from './keep-lease.js';
import { Qualities } from './qualities.js';
import { recoverFromErrors } from './recover.js';
import { offerCopy } from './share.js';
import { showCaptions, tendSubtitles } from './subtitles.js';

const player = document.getElementById('player');
const media = document.getElementById('media');

if (player && media instanceof HTMLMediaElement) {
  const subtitles = tendSubtitles(media, { alwaysOn: player.dataset.alwaysOn === 'true' });
  goOnAfterSwitch(media);
  const qualities = new Qualities(media, { onChange: subtitles.restore });
  recoverFromErrors(media, qualities);
  keepLease(media, player.dataset.lease ?? '');
  if (media instanceof HTMLAudioElement) showCaptions(media);
}
awaitMedia();
offerCopy();
closeMenus();

/** An open menu covers the media: Escape and a click elsewhere close it. */
function closeMenus() {
  const menus = [...document.querySelectorAll('details')];
  document.addEventListener('click', ({ target }) => {
    for (const menu of menus) if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of menus.filter(({ open }) => open)) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
