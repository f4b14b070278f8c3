import { byId, show } from './dom.js';

/** A chosen file, with its path in the chosen folder. */
export interface Picked {
  readonly path: string;
  readonly file: File;
}

/** Lets people choose files with two buttons, or drop them anywhere on the page. */
export class FilePicker {
  #drop = byId('drop', HTMLElement);
  #input = byId('pick-files', HTMLInputElement);
  #button = byId('choose-files', HTMLButtonElement);
  #folderButton = byId('choose-folder', HTMLButtonElement);
  #take;
  #isOpen;

  /** `isOpen`: whether files can be dropped now. */
  constructor({ take, isOpen }: { take: (picked: Picked[]) => void; isOpen: () => boolean }) {
    this.#take = take;
    this.#isOpen = isOpen;
    this.#button.addEventListener('click', () => this.#input.click());
    this.#input.addEventListener('change', () => this.#pickFrom(this.#input));
    this.#folderButton.addEventListener('click', () => this.#chooseFolder());
    show(this.#folderButton, 'webkitdirectory' in this.#input && !matchMedia('(pointer: coarse)').matches);
    // The whole page handles drops, because the browser would otherwise open a file that misses the target in place of the page.
    for (const name of ['dragenter', 'dragover'] as const) document.addEventListener(name, (event) => this.#drag(event));
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && this.#drop.classList.remove('over'));
    document.addEventListener('drop', (event) => void this.#dropped(event));
  }

  /** `isSmall`: files are listed, so the drop area is smaller; `isQuiet`: another button is the primary one. */
  render({ isSmall, isQuiet }: { isSmall: boolean; isQuiet: boolean }): void {
    show(this.#drop, true);
    this.#drop.classList.toggle('small', isSmall);
    this.#button.classList.toggle('quiet', isQuiet);
  }

  hide(): void {
    show(this.#drop, false);
  }

  focus(): void {
    this.#button.focus();
  }

  #drag(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = this.#isOpen() ? 'copy' : 'none';
    if (this.#isOpen()) this.#drop.classList.add('over');
  }

  async #dropped(event: DragEvent): Promise<void> {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.#drop.classList.remove('over');
    if (this.#isOpen()) this.#take(await filesOfDrop(event.dataTransfer));
  }

  #chooseFolder(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.webkitdirectory = true;
    input.addEventListener('change', () => this.#pickFrom(input));
    input.click();
  }

  #pickFrom(input: HTMLInputElement): void {
    const picked = [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    input.value = ''; // the same files can be chosen again
    this.#take(picked.filter(isWanted));
  }
}

/**
 * The dropped files, and all files in dropped folders. Must be called while the drop event is handled: afterwards the browser no longer
 * provides its content.
 */
async function filesOfDrop(transfer: DataTransfer): Promise<Picked[]> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const picked: Picked[] = [];
  for (const { entry, file } of entries) {
    if (entry) picked.push(...(await walk(entry)));
    else if (file) picked.push({ path: file.name, file });
  }
  return picked.filter(isWanted);
}

async function walk(entry: FileSystemEntry): Promise<Picked[]> {
  if (isFile(entry)) {
    const file = await new Promise<File | null>((resolve) => entry.file(resolve, () => resolve(null)));
    return file ? [{ path: entry.fullPath.replace(/^\//, ''), file }] : [];
  }
  const picked: Picked[] = [];
  for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) picked.push(...(await walk(child)));
  return picked;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/** Reads all entries; a reader returns at most a hundred at a time, and an empty list at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return children;
    children.push(...some);
  }
}

/** Files that operating systems add to folders. */
const CLUTTER = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.localized', 'Icon\r']);

const isWanted = ({ file }: Picked): boolean => !CLUTTER.has(file.name);
