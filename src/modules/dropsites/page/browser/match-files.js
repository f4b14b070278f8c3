/**
 * @typedef {{ path: string, size: number, lastModified: number }} Remembered
 * @typedef {import('./picked-file.js').Picked} Picked
 */

/**
 * Finds the files of an earlier visit among those that were chosen again. A file is the same if its name, size and date are; its path
 * counts if there is one, so that files with the same name in different folders are not confused. `changed`: the name is the same, but the
 * size or date differs. `others`: not part of the earlier upload. Files that are already `known` (delivered, or chosen again before) are
 * skipped.
 * @template {Remembered} T
 * @param {{ missing: readonly T[], known: readonly T[] }} files
 * @param {readonly Picked[]} picked
 */
export function matchFiles({ missing, known }, picked) {
  const open = new Set(missing);
  /** @type {Map<T, File>} */
  const found = new Map();
  /** @type {{ missing: T, picked: Picked }[]} */
  const changed = [];
  let rest = [...picked];
  for (const keyOf of [whole, byName]) {
    const wanted = group(open, keyOf);
    const passed = group(known, keyOf);
    rest = rest.filter((one) => {
      const key = keyOf({ path: one.path, size: one.file.size, lastModified: one.file.lastModified });
      const match = wanted.get(key)?.shift();
      if (!match) return !passed.has(key);
      open.delete(match);
      found.set(match, one.file);
      return false;
    });
  }
  for (const keyOf of [pathOf, nameOf]) {
    const wanted = group(open, keyOf);
    rest = rest.filter((one) => {
      const match = wanted.get(keyOf(one))?.shift();
      if (!match) return true;
      open.delete(match);
      changed.push({ missing: match, picked: one });
      return false;
    });
  }
  return { found, changed, others: rest };
}

/**
 * @template T
 * @param {Iterable<T>} files
 * @param {(file: T) => string} keyOf
 */
function group(files, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const file of files) groups.set(keyOf(file), [...(groups.get(keyOf(file)) ?? []), file]);
  return groups;
}

/** @param {{ path: string }} file */
const pathOf = ({ path }) => path;

/** @param {{ path: string }} file */
const nameOf = ({ path }) => path.slice(path.lastIndexOf('/') + 1);

/** @param {Remembered} file */
const whole = ({ path, size, lastModified }) => JSON.stringify([path, size, lastModified]);

/** @param {Remembered} file */
const byName = (file) => JSON.stringify([nameOf(file), file.size, file.lastModified]);
