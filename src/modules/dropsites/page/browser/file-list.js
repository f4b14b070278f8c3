import { byId, show, within, write } from './dom.js';
import { formatBytes, percentOf } from './format.js';

/** Maximum number of rows; more make a phone slow. The total includes the other files. */
const MAX_ROWS = 500;

/** @typedef {import('@media-delivery/sdk/uploader').UploadFile} UploadFile */
/** @typedef {{ text: string, tone: 'calm' | 'good' | 'bad', percent: number | null }} Status */

/** The rows of files: name, size, status and, before the upload, a button that removes the file. */
export class FileList {
  #list = byId('files', HTMLUListElement);
  #more = byId('more-files', HTMLParagraphElement);
  #template = byId('file-row', HTMLTemplateElement);
  /** @type {Map<UploadFile, { row: HTMLElement, shown: string }>} */
  #rows = new Map();
  #onRemove;

  /** @param {(file: UploadFile) => void} onRemove */
  constructor(onRemove) {
    this.#onRemove = onRemove;
  }

  /**
   * @param {readonly UploadFile[]} files
   * @param {{ status: (file: UploadFile) => Status, removable?: (file: UploadFile) => boolean }} how
   */
  render(files, { status, removable = () => false }) {
    const shown = files.length <= MAX_ROWS ? files : interesting(files);
    const wanted = new Set(shown);
    for (const [file, { row }] of this.#rows) {
      if (wanted.has(file)) continue;
      row.remove();
      this.#rows.delete(file);
    }
    for (const file of shown) this.#renderRow(file, status(file), removable(file));
    show(this.#list, shown.length > 0);
    show(this.#more, shown.length < files.length);
    write(this.#more, `And ${(files.length - shown.length).toLocaleString('en')} more files, which are not shown here.`);
  }

  /**
   * Moves the focus after a row was removed.
   * @param {number} index
   */
  focusRow(index) {
    const buttons = [...this.#list.querySelectorAll('button')];
    const next = buttons[Math.min(index, buttons.length - 1)];
    next?.focus();
    return next !== undefined;
  }

  /**
   * @param {UploadFile} file
   * @param {Status} status
   * @param {boolean} removable
   */
  #renderRow(file, { text, tone, percent }, removable) {
    const known = this.#rows.get(file);
    const row = known?.row ?? this.#add(file);
    const shown = `${text}|${tone}|${percent}|${removable}`;
    if (known?.shown === shown) return;
    this.#rows.set(file, { row, shown });
    const label = within(row, '.file-status', HTMLElement);
    write(label, text);
    label.dataset.tone = tone;
    const bar = within(row, 'progress', HTMLProgressElement);
    show(bar, percent !== null);
    bar.value = percent ?? 0;
    show(within(row, 'button', HTMLButtonElement), removable);
  }

  /** @param {UploadFile} file */
  #add(file) {
    const copy = /** @type {DocumentFragment} */ (this.#template.content.cloneNode(true));
    const row = within(copy, 'li', HTMLLIElement);
    const slash = file.path.lastIndexOf('/') + 1;
    write(within(row, '.file-folder', HTMLElement), file.path.slice(0, slash));
    write(within(row, 'bdi', HTMLElement), file.path.slice(slash));
    write(within(row, '.file-size', HTMLElement), formatBytes(file.size));
    within(row, 'progress', HTMLProgressElement).setAttribute('aria-label', `Progress of ${file.path}`);
    const remove = within(row, 'button', HTMLButtonElement);
    remove.setAttribute('aria-label', `Remove ${file.path}`);
    remove.addEventListener('click', () => this.#onRemove(file));
    this.#list.append(row);
    return row;
  }
}

/**
 * The rows to show of very many files: failed and refused ones, those in progress, and the first of the others, in their order.
 * @param {readonly UploadFile[]} files
 */
function interesting(files) {
  const urgent = new Set(
    files.filter(({ state }) => state === 'failed' || state === 'refused' || state === 'uploading').slice(0, MAX_ROWS),
  );
  let others = MAX_ROWS - urgent.size;
  return files.filter((file) => urgent.has(file) || others-- > 0);
}

/**
 * The status of a file during and after its upload.
 * @param {UploadFile} file
 * @returns {Status}
 */
export function deliveryStatus(file) {
  switch (file.state) {
    case 'delivered':
      return { text: 'Delivered', tone: 'good', percent: null };
    case 'failed':
      return { text: `Failed. ${file.problem}`, tone: 'bad', percent: null };
    case 'refused':
      return { text: `Not accepted. ${file.problem}`, tone: 'bad', percent: null };
    case 'left-out':
      return { text: 'Left out', tone: 'calm', percent: null };
    case 'uploading': {
      if (file.sent === file.size) return { text: 'Finishing', tone: 'calm', percent: 100 };
      const percent = percentOf(file.sent, file.size);
      return { text: `${percent}\u00a0%`, tone: 'calm', percent };
    }
    default:
      return { text: 'Waiting', tone: 'calm', percent: null };
  }
}
