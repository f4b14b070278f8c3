import { SelectableList } from './renditions.js';

interface SoundName {
  readonly label: string;
  readonly language: string;
}

/** A sound of a film, as media-chrome reads it (HTML section 4.8.11.10.1, AudioTrack). */
class Sound {
  readonly #sounds: Sounds;
  readonly id: string;
  readonly kind = 'main';
  readonly label: string;
  readonly language: string;

  constructor(sounds: Sounds, id: string, { label, language }: SoundName) {
    this.#sounds = sounds;
    this.id = id;
    this.label = label;
    this.language = language;
  }

  get enabled(): boolean {
    return this.id === String(this.#sounds.selectedIndex);
  }

  /** The menu disables all others, too; one is always enabled. */
  set enabled(isEnabled: boolean) {
    if (isEnabled) this.#sounds.selectedIndex = Number(this.id);
  }
}

/** The sounds of a film for the menu of media-chrome, which expects such a list as `audioTracks` of the media element. */
export class Sounds extends SelectableList<Sound> {
  show(list: readonly SoundName[], selected: number): void {
    const hadSome = this.list.length > 0;
    this.list = list.map((sound, index) => new Sound(this, String(index), sound));
    this.selected = selected;
    if (hadSome) this.dispatchEvent(new Event('removetrack'));
    if (list.length > 0) this.dispatchEvent(new Event('addtrack'));
  }
}

/** Lets listeners choose a sound where the browser's own controls have no menu of sounds. */
export function offerSounds(sounds: Sounds): void {
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
