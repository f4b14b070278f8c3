/** `talk.de`, `talk_eng`, `talk-pt-BR`: the language stands behind the last dot, underscore or hyphen. */
const ENDING = /([._-])([a-z]{2,3})(?:[-_]([A-Za-z]{2}))?$/i;

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language in its shortest form (`ger`, `deu`, `DE` → `de`; BCP 47), with its region if there is one; null: it is none. */
export function languageTag(code: string): string | null {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(code);
    return names.of(tag) === undefined || tag === 'und' ? null : tag;
  } catch {
    return null; // not the form of a language tag
  }
}

/** Whether two tags or codes are of one language, whatever its region: `en-GB` and `eng`. */
export function isSameLanguage(one: string, other: string): boolean {
  const [first, second] = [languageTag(one), languageTag(other)];
  return first !== null && first.split('-')[0] === second?.split('-')[0];
}

/** The language that the name of a file (without extension) ends with; null: none that can be recognised. */
export function languageOf(fileName: string): string | null {
  const [, mark, code = '', region] = ENDING.exec(fileName) ?? [];
  const language = languageTag(code);
  // Three letters behind an underscore are more often a word (`the_new`) than one of the rare languages that have no code of two letters.
  if (language === null || (mark !== '.' && language.length > 2)) return null;
  return region ? (languageTag(`${language}-${region}`) ?? language) : language;
}

/** For people, in its own language: `Deutsch`. */
export const languageName = (tag: string): string => {
  const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
};
