import { byId, moveFocus, show, within, write } from './dom.js';
import { formatBytes } from './format.js';

/** @typedef {import('@media-delivery/sdk/uploader').UploadFile} UploadFile */

/** Lists possible duplicates, from which the person selects those to send anyway. */
export class DuplicatesView {
  #section = byId('duplicates', HTMLElement);
  #title = byId('duplicates-title', HTMLHeadingElement);
  #list = byId('duplicate-files', HTMLUListElement);
  #template = byId('duplicate-row', HTMLTemplateElement);
  /** @type {Map<UploadFile, HTMLInputElement>} */
  #boxes = new Map();
  #sendTicked = byId('send-ticked', HTMLButtonElement);
  #sendAll = byId('send-all', HTMLButtonElement);

  /** @param {(leftOut: UploadFile[]) => void} onDecide */
  constructor(onDecide) {
    this.#sendAll.addEventListener('click', () => onDecide([]));
    this.#sendTicked.addEventListener('click', () => {
      onDecide([...this.#boxes].filter(([, box]) => !box.checked).map(([file]) => file));
    });
    this.#list.addEventListener('change', () => this.#label());
  }

  hide() {
    show(this.#section, false);
  }

  /** @param {UploadFile[]} files */
  ask(files) {
    this.#boxes.clear();
    this.#list.replaceChildren(...files.map((file, index) => this.#row(file, index)));
    write(this.#title, files.length === 1 ? 'One file seems to be a duplicate' : `${files.length} files seem to be duplicates`);
    this.#label();
    show(this.#section, true);
    moveFocus(this.#title);
  }

  /** Labels the buttons with their effect. */
  #label() {
    const ticked = [...this.#boxes.values()].filter(({ checked }) => checked).length;
    const all = this.#boxes.size;
    const leaveOut = all === 1 ? 'Leave it out' : 'Leave them out';
    write(this.#sendTicked, ticked === 0 ? leaveOut : `Upload ${ticked} of ${all} anyway`);
    write(this.#sendAll, all === 1 ? 'Upload it anyway' : 'Upload all anyway');
    show(this.#sendAll, ticked < all);
  }

  /**
   * @param {UploadFile} file
   * @param {number} index
   */
  #row(file, index) {
    const copy = /** @type {DocumentFragment} */ (this.#template.content.cloneNode(true));
    const box = within(copy, 'input', HTMLInputElement);
    box.id = `duplicate-${index}`;
    within(copy, 'label', HTMLLabelElement).htmlFor = box.id;
    write(within(copy, 'bdi', HTMLElement), file.path);
    write(within(copy, '.file-size', HTMLElement), formatBytes(file.size));
    this.#boxes.set(file, box);
    return copy;
  }
}
