/** The longest language tag, in characters: the minimum that RFC 5646 section 4.4.1 requires applications to accept. */
export const MAX_LANGUAGE_CHARACTERS = 35;

/** Primary subtags of four to eight letters are reserved (RFC 5646 section 2.2.1): `english` is well-formed, but not a language. */
const PRIMARY = /^[a-z]{2,3}(?:-|$)/i;

/**
 * A macrolanguage of the IANA registry before the subtag of the language itself, with which the canonical form begins (RFC 5646 section 4.5). Intl does
 * not accept such tags.
 */
const MACROLANGUAGE = /^(?:ar|kok|lv|ms|sgn|sw|uz|zh)-(?=[a-z]{3}(?:-|$))/i;

/** Converts a language tag to its canonical form (BCP 47): `DE-at` → `de-AT`, `ger` → `de`, `zh-yue` → `yue`; null: the text is not a language tag. */
export function canonicalLanguage(text: string): string | null {
  try {
    return PRIMARY.test(text) ? (Intl.getCanonicalLocales(text.replace(MACROLANGUAGE, ''))[0] ?? null) : null;
  } catch {
    return null; // not well-formed
  }
}

/** Returns the name of a language in that language, such as `Deutsch`, without extensions and private use; the tag itself if the name is unknown. */
export function languageName(tag: string): string {
  const { baseName } = new Intl.Locale(tag);
  const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' }).of(baseName) ?? baseName;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
