import { SelectableList } from './renditions.js';

/** A sound of a film, as media-chrome reads it (HTML section 4.8.11.10.1, AudioTrack). */
class Sound {
  #sounds;

  /**
   * @param {Sounds} sounds
   * @param {{ id: string, label: string, language: string }} description
   */
  constructor(sounds, { id, label, language }) {
    this.#sounds = sounds;
    this.id = id;
    this.kind = 'main';
    this.label = label;
    this.language = language;
  }

  get enabled() {
    return this.id === String(this.#sounds.selectedIndex);
  }

  /** The menu disables all others, too; one is always enabled. */
  set enabled(isEnabled) {
    if (isEnabled) this.#sounds.selectedIndex = Number(this.id);
  }
}

/**
 * The sounds of a film for the menu of media-chrome, which expects such a list as `audioTracks` of the media element.
 * @extends {SelectableList<Sound>}
 */
export class Sounds extends SelectableList {
  /**
   * @param {readonly { label: string, language: string }[]} list
   * @param {number} selected
   */
  show(list, selected) {
    const hadSome = this.list.length > 0;
    this.list = list.map((sound, index) => new Sound(this, { ...sound, id: String(index) }));
    this.selected = selected;
    if (hadSome) this.dispatchEvent(new Event('removetrack'));
    if (list.length > 0) this.dispatchEvent(new Event('addtrack'));
  }
}

/**
 * Lets listeners choose a sound where the browser's own controls have no menu of sounds.
 * @param {Sounds} sounds
 */
export function offerSounds(sounds) {
  const [select, label] = [document.getElementById('sounds'), document.getElementById('sounds-label')];
  if (!(select instanceof HTMLSelectElement) || !label) return;
  const list = () => {
    select.replaceChildren(...[...sounds].map(({ label: name, id }) => new Option(name, id)));
    select.value = String(sounds.selectedIndex);
    label.hidden = sounds.length < 2;
  };
  for (const event of ['addtrack', 'removetrack', 'change']) sounds.addEventListener(event, list);
  select.addEventListener('change', () => {
    sounds.selectedIndex = Number(select.value);
  });
}
