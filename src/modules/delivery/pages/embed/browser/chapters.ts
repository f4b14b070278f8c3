/** More chapters would fit neither on the seek bar nor in a menu. Media-chrome draws each of them, so thousands would freeze the page. */
const MAX_CHAPTERS = 200;

/**
 * Lists the chapters of a film in a menu of the controls, so that viewers can also select one with the keyboard. The seek bar of
 * media-chrome shows where they begin.
 */
export function offerChapters(media: HTMLMediaElement): void {
  const element = media.querySelector('track[kind="chapters"]');
  const [menu, button] = [document.getElementById('chapters'), document.getElementById('chapters-button')];
  if (!(element instanceof HTMLTrackElement) || !menu || !button) return;
  const { track } = element;
  element.kind = 'metadata'; // until their number is known, so that media-chrome does not draw them

  const list = () => {
    const cues = [...(track.cues ?? [])].filter((cue) => cue instanceof VTTCue);
    if (cues.length === 0 || cues.length > MAX_CHAPTERS) return;
    menu.replaceChildren(...cues.map(itemOf));
    button.hidden = false;
    markCurrent();
    element.kind = 'chapters';
    for (const mode of ['disabled', 'hidden'] as const) track.mode = mode; // the change makes media-chrome read them
  };
  /** Marks the current chapter. After a seek to its beginning, browsers also report the previous one as active. */
  const markCurrent = () => {
    const start = [...(track.activeCues ?? [])].at(-1)?.startTime;
    for (const item of menu.children) Object.assign(item, { checked: startOf(item) === String(start) });
  };
  void customElements.whenDefined('media-chrome-menu-item').then(() => {
    element.addEventListener('load', list);
    track.addEventListener('cuechange', markCurrent);
    if (element.readyState === HTMLTrackElement.LOADED) list();
  });

  /** The playing chapter can also be chosen, to start it again; media-chrome reports no change for this. */
  const choose = ({ target }: Event) => {
    const item = target instanceof Element ? target.closest('[role="menuitemradio"]') : null;
    if (item) media.currentTime = Number(startOf(item));
  };
  menu.addEventListener('click', choose, { capture: true });
  menu.addEventListener('keydown', (event) => [' ', 'Enter'].includes(event.key) && choose(event), { capture: true });
}

function itemOf(cue: VTTCue): HTMLElement {
  const item = document.createElement('media-chrome-menu-item');
  item.setAttribute('type', 'radio');
  item.setAttribute('value', String(cue.startTime));
  item.textContent = cue.getCueAsHTML().textContent;
  return item;
}

const startOf = (item: Element): string => item.getAttribute('value') ?? '';
