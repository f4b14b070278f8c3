/**
 * Shows the default track of the page, lets the viewer choose another, and keeps one track on if `alwaysOn` is set.
 * @param {HTMLMediaElement} media
 * @param {{ alwaysOn: boolean }} options
 */
export function controlSubtitles(media, { alwaysOn }) {
  const tracks = [...media.textTracks];
  const marked = [...media.querySelectorAll('track')].findIndex((track) => track.default);
  const select = document.getElementById('subtitles');
  const label = document.getElementById('subtitles-label');
  let chosen = marked;

  /** @param {number} index -1: none */
  const turnOn = (index) => {
    chosen = index;
    for (const [at, track] of tracks.entries()) {
      const mode = at === index ? 'showing' : 'disabled';
      if (track.mode !== mode) track.mode = mode;
    }
    if (select instanceof HTMLSelectElement) select.value = index === -1 ? '' : String(index);
  };

  // The browser's own menu changes modes too.
  media.textTracks.addEventListener('change', () => {
    const showing = tracks.findIndex(({ mode }) => mode === 'showing');
    if (showing === chosen) return;
    turnOn(showing === -1 && alwaysOn ? chosen : showing);
  });
  if (select instanceof HTMLSelectElement && label) {
    label.hidden = false;
    select.addEventListener('change', () => turnOn(select.value === '' ? -1 : Number(select.value)));
  }
  turnOn(chosen);
  return { restore: () => turnOn(chosen) };
}

/**
 * Shows the cues of sound below the player, because browsers show subtitles only on a picture.
 * @param {HTMLAudioElement} audio
 */
export function showCaptions(audio) {
  const caption = document.getElementById('caption');
  if (!caption) return;
  for (const track of audio.textTracks) track.addEventListener('cuechange', () => write(caption, track));
  audio.textTracks.addEventListener('change', () => {
    if (![...audio.textTracks].some(({ mode }) => mode === 'showing')) caption.hidden = true;
  });
}

/**
 * @param {HTMLElement} caption
 * @param {TextTrack} track
 */
function write(caption, track) {
  if (track.mode !== 'showing') return;
  const cues = [...(track.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
  caption.replaceChildren(...cues.flatMap((cue) => [cue.getCueAsHTML(), document.createElement('br')]));
  caption.hidden = cues.length === 0;
}
