import type { UploadFile } from '@media-delivery/sdk/uploader';
import { byId, copyOf, show, within, write } from './dom.js';
import { formatBytes, percentOf } from './format.js';

/** Maximum number of rows; more make a phone slow. The total includes the other files. */
const MAX_ROWS = 500;

export interface Status {
  readonly text: string;
  readonly tone: 'calm' | 'good' | 'bad';
  /** Null: no progress is shown. */
  readonly percent: number | null;
}

/** The rows of files: name, size, status and, before the upload, a button that removes the file. */
export class FileList {
  #list = byId('files', HTMLUListElement);
  #more = byId('more-files', HTMLParagraphElement);
  #template = byId('file-row', HTMLTemplateElement);
  #rows = new Map<UploadFile, { row: HTMLElement; shown: string }>();
  #onRemove;

  constructor(onRemove: (file: UploadFile) => void) {
    this.#onRemove = onRemove;
  }

  render(files: readonly UploadFile[], how: { status: (file: UploadFile) => Status; removable?: (file: UploadFile) => boolean }): void {
    const shown = files.length <= MAX_ROWS ? files : interesting(files);
    const wanted = new Set(shown);
    for (const [file, { row }] of this.#rows) {
      if (wanted.has(file)) continue;
      row.remove();
      this.#rows.delete(file);
    }
    for (const file of shown) this.#renderRow(file, how.status(file), how.removable?.(file) ?? false);
    show(this.#list, shown.length > 0);
    show(this.#more, shown.length < files.length);
    write(this.#more, `And ${(files.length - shown.length).toLocaleString('en')} more files, which are not shown here.`);
  }

  /** Moves the focus after the row at `index` was removed; returns false if no row is left. */
  focusRow(index: number): boolean {
    const buttons = [...this.#list.querySelectorAll('button')];
    const next = buttons[Math.min(index, buttons.length - 1)];
    next?.focus();
    return next !== undefined;
  }

  #renderRow(file: UploadFile, { text, tone, percent }: Status, removable: boolean): void {
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

  #add(file: UploadFile): HTMLElement {
    const row = within(copyOf(this.#template), 'li', HTMLLIElement);
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

/** The rows to show of very many files: failed and refused ones, those in progress, and the first of the others, in their order. */
function interesting(files: readonly UploadFile[]): UploadFile[] {
  const urgent = new Set(files.filter(({ state }) => ['failed', 'refused', 'uploading'].includes(state)).slice(0, MAX_ROWS));
  let others = MAX_ROWS - urgent.size;
  return files.filter((file) => urgent.has(file) || others-- > 0);
}

/** A status without progress. */
export const statusOf = (text: string, tone: Status['tone'] = 'calm'): Status => ({ text, tone, percent: null });

/** The status of a file during and after its upload. */
export function deliveryStatus({ state, problem, sent, size }: UploadFile): Status {
  switch (state) {
    case 'delivered':
      return statusOf('Delivered', 'good');
    case 'failed':
      return statusOf(`Failed. ${problem}`, 'bad');
    case 'refused':
      return statusOf(`Not accepted. ${problem}`, 'bad');
    case 'left-out':
      return statusOf('Left out');
    case 'waiting':
      return statusOf('Waiting');
    case 'uploading': {
      if (sent === size) return { ...statusOf('Finishing'), percent: 100 };
      const percent = percentOf(sent, size);
      return { ...statusOf(`${percent}\u00a0%`), percent };
    }
  }
}
