/** Files that operating systems add to folders. */
const CLUTTER = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.localized', 'Icon\r']);

/** @typedef {import('./picked-file.js').Picked} Picked */

/**
 * The files of a file input, with their paths if the input accepts folders.
 * @param {HTMLInputElement} input
 * @returns {Picked[]}
 */
export function filesOfInput(input) {
  return [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })).filter(isWanted);
}

/**
 * The dropped files, and all files in dropped folders. Must be called while the drop event is handled: afterwards the browser no longer
 * provides its content.
 * @param {DataTransfer} transfer
 * @returns {Promise<Picked[]>}
 */
export async function filesOfDrop(transfer) {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const picked = [];
  for (const { entry, file } of entries) {
    if (entry) picked.push(...(await walk(entry)));
    else if (file) picked.push({ path: file.name, file });
  }
  return picked.filter(isWanted);
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<Picked[]>}
 */
async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, () => resolve(null)));
    return file ? [{ path: entry.fullPath.replace(/^\//, ''), file: /** @type {File} */ (file) }] : [];
  }
  const picked = [];
  for (const child of await childrenOf(/** @type {FileSystemDirectoryEntry} */ (entry))) picked.push(...(await walk(child)));
  return picked;
}

/**
 * Reads all entries; a reader returns at most a hundred at a time, and none at the end.
 * @param {FileSystemDirectoryEntry} folder
 */
async function childrenOf(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const children = [];
  for (;;) {
    const some = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return children;
    children.push(...some);
  }
}

/** @param {Picked} picked */
const isWanted = ({ file }) => !CLUTTER.has(file.name);
