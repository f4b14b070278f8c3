/** Frames of other sites may be kept from the browser's storage: then nothing is remembered. */

/**
 * What was kept under a name; null: nothing.
 * @param {string} name
 */
export function recall(name) {
  try {
    return localStorage.getItem(`player:${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string | null} value null: it is forgotten
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(`player:${name}`);
    else localStorage.setItem(`player:${name}`, value);
  } catch {
    // It counts for this page only.
  }
}
