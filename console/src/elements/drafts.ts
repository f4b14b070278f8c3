import { useEffect, useRef, useState } from 'react';

/** What is typed into a form, kept in sessionStorage while the browser is at the sign-in. */
interface Kept {
  /** Id of the user who typed it. Other users do not get it. */
  readonly owner: number;
  readonly draft: unknown;
}

const PREFIX = 'console:draft:';
const forms = new Map<string, () => unknown>();

/** Keeps what `owner` has typed into the forms that are open now; the page is about to be left for the sign-in. */
export function keepDrafts(owner: number): void {
  for (const [key, read] of forms) {
    const draft = read();
    if (draft !== undefined) sessionStorage.setItem(PREFIX + key, JSON.stringify({ owner, draft } satisfies Kept));
  }
}

/** Removes what others than `owner` have typed, once the person who signed in is known. Null: removes all. */
export function removeDraftsExceptOf(owner: number | null): void {
  for (const key of Object.keys(sessionStorage).filter((one) => one.startsWith(PREFIX))) {
    if (load(key)?.owner !== owner) sessionStorage.removeItem(key);
  }
}

/**
 * Keeps the input of a form over a sign-in. Returns what was kept for this `key`, once; undefined: nothing. `read` returns what to keep, without secrets;
 * undefined: nothing was typed.
 */
export function useDraft<Draft>(key: string, read: () => Draft | undefined): Draft | undefined {
  const [kept] = useState(() => load(PREFIX + key)?.draft as Draft | undefined);
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  useEffect(() => {
    sessionStorage.removeItem(PREFIX + key);
    forms.set(key, () => latest.current());
    return () => void forms.delete(key);
  }, [key]);
  return kept;
}

const load = (key: string): Kept | null => JSON.parse(sessionStorage.getItem(key) ?? 'null') as Kept | null;
