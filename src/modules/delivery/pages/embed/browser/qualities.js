/**
 * Lets the viewer choose among the files. The place in the media, whether it plays and how fast stay as they are.
 * @param {HTMLMediaElement} media
 * @param {{ onChange: () => void }} options called when another file is there
 */
export function offerQualities(media, { onChange }) {
  const [select, label] = [document.getElementById('quality'), document.getElementById('quality-label')];
  if (!(select instanceof HTMLSelectElement) || !label) return;
  for (const option of select.options) if (media.canPlayType(option.dataset.type ?? '') === '') option.disabled = true;
  label.hidden = false;
  media.addEventListener('loadedmetadata', () => showPlaying(select, media.currentSrc, media));
  if (media.readyState > 0) showPlaying(select, media.currentSrc, media);
  select.addEventListener('change', () => changeSource(media, select.value, onChange));
}

/**
 * Shows which file plays, when the browser chose it itself.
 * @param {HTMLSelectElement} select
 * @param {string} playing
 * @param {HTMLMediaElement} media
 */
function showPlaying(select, playing, media) {
  if (media.hasAttribute('src')) return; // chosen here
  for (const option of select.options) option.selected = new URL(option.value, document.baseURI).href === playing;
}

/**
 * @param {HTMLMediaElement} media
 * @param {string} url
 * @param {() => void} onChange
 */
export function changeSource(media, url, onChange) {
  const { currentTime, paused, playbackRate } = media;
  media.addEventListener(
    'loadedmetadata',
    () => {
      media.currentTime = currentTime;
      media.playbackRate = playbackRate;
      onChange();
      if (!paused) void media.play().catch(() => {}); // the browser may want a click first
    },
    { once: true },
  );
  media.src = url;
  media.load();
}
