const KINDS = ['subtitles', 'captions'];

/** Shows the default track of the page, lets the viewer choose another, and keeps one track on if `alwaysOn` is set. */
export function controlSubtitles(media: HTMLMediaElement, { alwaysOn }: { readonly alwaysOn: boolean }): void {
  const elements = [...media.querySelectorAll('track')].filter(({ kind }) => KINDS.includes(kind));
  let tracks = elements.map(({ track }) => track);
  let chosen = tracks[elements.findIndex((element) => element.default)];
  const select = document.getElementById('subtitles');
  const label = document.getElementById('subtitles-label');

  const turnOn = (wanted: TextTrack | undefined) => {
    chosen = wanted;
    for (const track of tracks) {
      const mode = track === wanted ? 'showing' : 'disabled';
      if (track.mode !== mode) track.mode = mode;
    }
    if (select instanceof HTMLSelectElement) select.value = wanted ? String(tracks.indexOf(wanted)) : '';
  };

  // The menus change modes; they turn on another track either before or after the previous one is off.
  media.textTracks.addEventListener('change', () => {
    const showing = tracks.filter(({ mode }) => mode === 'showing');
    if (showing.length === 1 && showing[0] === chosen) return;
    const other = showing.find((track) => track !== chosen);
    turnOn(other ?? (alwaysOn ? chosen : undefined));
  });
  // A browser that plays a stream by itself finds the same tracks in its playlist, and would list each twice.
  media.textTracks.addEventListener('addtrack', ({ track }) => {
    if (!track || !KINDS.includes(track.kind) || tracks.includes(track)) return;
    const isWanted = track.language === chosen?.language && track.label === chosen.label;
    if (elements.length > 0) tracks = [];
    for (const element of elements.splice(0)) element.remove();
    tracks.push(track);
    turnOn(isWanted ? track : chosen);
  });
  if (select instanceof HTMLSelectElement && label) {
    label.hidden = false;
    select.addEventListener('change', () => turnOn(tracks[Number(select.value || -1)]));
  }
  if (alwaysOn) void removeOff();
  turnOn(chosen);
}

/** Removes "Off" from the menu of media-chrome, which draws its items in a shadow tree. */
async function removeOff(): Promise<void> {
  const menu = document.getElementById('captions');
  if (!menu) return;
  await customElements.whenDefined(menu.localName);
  const remove = () => menu.shadowRoot?.querySelector('[value="off"]')?.remove();
  if (menu.shadowRoot) new MutationObserver(remove).observe(menu.shadowRoot, { childList: true, subtree: true });
  remove();
}

/** Shows the cues of sound below the player, because browsers show subtitles only on a picture. */
export function showCaptions(audio: HTMLAudioElement): void {
  const caption = document.getElementById('caption');
  if (!caption) return;
  for (const track of audio.textTracks) if (KINDS.includes(track.kind)) track.addEventListener('cuechange', () => write(caption, track));
  audio.textTracks.addEventListener('change', () => {
    if (![...audio.textTracks].some(({ mode }) => mode === 'showing')) caption.hidden = true;
  });
}

/** Announces descriptions of the picture to screen readers; their cues are not visible. */
export function announceDescriptions(media: HTMLMediaElement): void {
  const descriptions = [...media.textTracks].find(({ kind }) => kind === 'descriptions');
  const announcement = document.getElementById('description');
  if (!descriptions || !announcement) return;
  descriptions.mode = 'hidden';
  descriptions.addEventListener('cuechange', () => {
    const cues = [...(descriptions.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
    announcement.textContent = cues.map((cue) => cue.getCueAsHTML().textContent).join(' ');
  });
}

function write(caption: HTMLElement, track: TextTrack): void {
  if (track.mode !== 'showing') return;
  const cues = [...(track.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
  caption.replaceChildren(...cues.flatMap((cue) => [cue.getCueAsHTML(), document.createElement('br')]));
  caption.hidden = cues.length === 0;
}
