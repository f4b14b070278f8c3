/** The stored preference with a name; null: there is none. In frames of other sites the browser may block its storage; then nothing is stored. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`player:${name}`);
  } catch {
    return null;
  }
}

/** Stores a preference; null deletes it. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`player:${name}`);
    else localStorage.setItem(`player:${name}`, value);
  } catch {
    // The preference then applies to this page only.
  }
}
