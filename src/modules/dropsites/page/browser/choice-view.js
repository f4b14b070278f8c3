import { choiceStatus } from './choice-status.js';
import { byId, show, write } from './dom.js';
import { EarlierView } from './earlier-view.js';
import { countFiles, formatBytes } from './format.js';

/** @typedef {import('./earlier-upload.js').EarlierUpload} EarlierUpload */

/** Shows the chosen files, and the button that sends them. */
export class ChoiceView {
  #form = byId('form', HTMLFormElement);
  #sender = byId('sender', HTMLElement);
  #send = byId('send', HTMLButtonElement);
  #note = byId('note', HTMLElement);
  #earlierView = new EarlierView();
  #picker;
  #list;

  /** @param {{ picker: import('./file-picker.js').FilePicker, list: import('./file-list.js').FileList }} parts */
  constructor({ picker, list }) {
    this.#picker = picker;
    this.#list = list;
  }

  /**
   * @param {import('./choice.js').Choice} choice
   * @param {EarlierUpload | null} earlier
   */
  render({ files, good, totalSize }, earlier) {
    const all = [...(earlier?.files ?? []), ...files];
    this.#picker.render({ isSmall: all.length > 0, isQuiet: all.length > 0 && earlier === null });
    this.#list.render(all, { status: (file) => choiceStatus(file, earlier), removable: (file) => files.includes(file) });
    show(this.#form, all.length > 0);
    show(this.#sender, earlier === null);
    if (earlier) return this.#renderSend(this.#earlierView.render(earlier, good.length));
    this.#earlierView.hide();
    const label = good.length === 0 ? 'Upload' : `Upload ${countFiles(good.length)}, ${formatBytes(totalSize)}`;
    this.#renderSend({ label, isReady: true });
  }

  /** @param {string} text about the files that were chosen last */
  remark(text) {
    write(this.#note, text);
    show(this.#note, text !== '');
  }

  hide() {
    for (const part of [this.#form, this.#note]) show(part, false);
    this.#picker.hide();
    this.#earlierView.hide();
  }

  /** @param {{ label: string, isReady: boolean }} send */
  #renderSend({ label, isReady }) {
    this.#send.disabled = !isReady;
    write(this.#send, label);
  }
}
