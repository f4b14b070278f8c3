import { filesOfDrop, filesOfInput } from './collect-files.js';
import { byId, show } from './dom.js';

/** @typedef {import('./picked-file.js').Picked} Picked */

/** Lets people choose files with two buttons, or drop them anywhere on the page. */
export class FilePicker {
  #drop = byId('drop', HTMLElement);
  #input = byId('pick-files', HTMLInputElement);
  #button = byId('choose-files', HTMLButtonElement);
  #folderButton = byId('choose-folder', HTMLButtonElement);
  #take;
  #isOpen;

  /** @param {{ take: (picked: Picked[]) => void, isOpen: () => boolean }} page `isOpen`: whether files can be dropped now */
  constructor({ take, isOpen }) {
    this.#take = take;
    this.#isOpen = isOpen;
    this.#button.addEventListener('click', () => this.#input.click());
    this.#input.addEventListener('change', () => this.#pickFrom(this.#input));
    this.#folderButton.addEventListener('click', () => this.#chooseFolder());
    show(this.#folderButton, 'webkitdirectory' in this.#input && !matchMedia('(pointer: coarse)').matches);
    // The whole page handles drops, because the browser would otherwise open a file that misses the target in place of the page.
    for (const name of ['dragenter', 'dragover']) document.addEventListener(name, (event) => this.#drag(/** @type {DragEvent} */ (event)));
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && this.#drop.classList.remove('over'));
    document.addEventListener('drop', (event) => void this.#dropped(event));
  }

  /**
   * `isSmall`: files are listed, so the drop area is smaller; `isQuiet`: another button is the primary one.
   * @param {{ isSmall: boolean, isQuiet: boolean }} look
   */
  render({ isSmall, isQuiet }) {
    show(this.#drop, true);
    this.#drop.classList.toggle('small', isSmall);
    this.#button.classList.toggle('quiet', isQuiet);
  }

  hide() {
    show(this.#drop, false);
  }

  focus() {
    this.#button.focus();
  }

  /** @param {DragEvent} event */
  #drag(event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = this.#isOpen() ? 'copy' : 'none';
    if (this.#isOpen()) this.#drop.classList.add('over');
  }

  /** @param {DragEvent} event */
  async #dropped(event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.#drop.classList.remove('over');
    if (this.#isOpen()) this.#take(await filesOfDrop(event.dataTransfer));
  }

  #chooseFolder() {
    const input = document.createElement('input');
    input.type = 'file';
    input.webkitdirectory = true;
    input.addEventListener('change', () => this.#pickFrom(input));
    input.click();
  }

  /** @param {HTMLInputElement} input */
  #pickFrom(input) {
    const picked = filesOfInput(input);
    input.value = ''; // the same files can be chosen again
    this.#take(picked);
  }
}
