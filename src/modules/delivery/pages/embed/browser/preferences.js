/**
 * The stored preference with a name; null: there is none. In frames of other sites the browser may block its storage; then nothing is
 * stored.
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
 * @param {string | null} value null deletes it
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(`player:${name}`);
    else localStorage.setItem(`player:${name}`, value);
  } catch {
    // The preference then applies to this page only.
  }
}
