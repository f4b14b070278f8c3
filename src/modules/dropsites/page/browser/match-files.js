/**
 * @typedef {{ uuid: string, path: string, size: number, lastModified: number }} Missing
 * @typedef {import('./upload-file.js').Picked} Picked
 */

/**
 * Finds the files of an earlier visit among those that were chosen again. A file is the same when its name, size and date are; its path counts
 * where there is one, so that files of one name in different folders are not mixed up. `changed`: there is one of that name, but it is not the
 * same any more. `others`: not part of the earlier upload.
 * @template {Missing} T
 * @param {readonly T[]} missing
 * @param {readonly Picked[]} picked
 */
export function matchFiles(missing, picked) {
  const open = new Set(missing);
  /** @type {Map<T, File>} */
  const found = new Map();
  /** @type {{ missing: T, picked: Picked }[]} */
  const changed = [];
  /** @type {Picked[]} */
  const others = [];
  const exact = picked.filter((one) => !take(one, (file) => file.path === one.path && isSame(file, one)));
  const byName = exact.filter((one) => !take(one, (file) => nameOf(file.path) === nameOf(one.path) && isSame(file, one)));
  for (const one of byName) {
    const like = firstOf(open, (file) => file.path === one.path) ?? firstOf(open, (file) => nameOf(file.path) === nameOf(one.path));
    if (like) {
      open.delete(like);
      changed.push({ missing: like, picked: one });
    } else others.push(one);
  }
  return { found, changed, others };

  /**
   * @param {Picked} one
   * @param {(file: T) => boolean} fits
   */
  function take(one, fits) {
    const match = firstOf(open, fits);
    if (!match) return false;
    open.delete(match);
    found.set(match, one.file);
    return true;
  }
}

/**
 * @template T
 * @param {Iterable<T>} files
 * @param {(file: T) => boolean} fits
 */
function firstOf(files, fits) {
  for (const file of files) if (fits(file)) return file;
  return null;
}

/**
 * @param {Missing} missing
 * @param {Picked} picked
 */
const isSame = (missing, { file }) => missing.size === file.size && missing.lastModified === file.lastModified;

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);
