/** Primary subtags of four to eight letters are reserved (RFC 5646 section 2.2.1): `english` is well-formed, and not a language. */
const PRIMARY = /^[a-z]{2,3}(?:-|$)/i;

/** A language tag in its canonical form (BCP 47): `DE-at` → `de-AT`, `ger` → `de`; null: the text is not a language tag. */
export function canonicalLanguage(text: string): string | null {
  try {
    return PRIMARY.test(text) ? (Intl.getCanonicalLocales(text)[0] ?? null) : null;
  } catch {
    return null; // not the form of a language tag
  }
}

/** For people, in its own language: `Deutsch`; the tag itself where the name is not known. */
export function languageName(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
