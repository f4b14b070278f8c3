/** The languages of pages and mails; readers of others get the first one. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How numbers and dates are written: British English, because most of the world writes day, month and year in this order. */
export const LOCALES: ByLanguage<string> = { en: 'en-GB', de: 'de-DE' };

/** Texts in each language, with the keys and functions of English: a language that lacks a text does not compile. */
export type ByLanguage<Texts> = { readonly en: Texts } & { readonly [Other in Exclude<Language, 'en'>]: NoInfer<Texts> };

/** The texts of a page or mail. */
export const messages = <Texts extends object>(byLanguage: ByLanguage<Texts>): Readonly<Record<Language, Texts>> => byLanguage;

/** The language of these for a tag of BCP 47, of which the base language counts. */
function findLanguage(tag: string | null | undefined): Language | undefined {
  const base = tag?.trim().toLowerCase().split(/[-_]/, 1)[0];
  return LANGUAGES.find((language) => language === base);
}

/** The language for a reader of the language `tag` (BCP 47). */
export const toLanguage = (tag: string | null | undefined): Language => findLanguage(tag) ?? LANGUAGES[0];

/** The language for a browser with this `Accept-Language`. */
export const languageOf = (acceptLanguage: string | undefined): Language => toLanguage(viewerLanguages(acceptLanguage).find(findLanguage));

/** The part of `Accept-Language` that counts (contract section 13.1); browsers send at most a dozen ranges. */
const MAX_CHARACTERS = 1_024;
const MAX_RANGES = 16;

const RANGE = /^([a-z]{1,8}(?:-[a-z\d]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i;

/** The languages of a viewer by `Accept-Language` (RFC 9110 section 12.5.4), the preferred one first. `*` and invalid ranges match nothing. */
export function viewerLanguages(header: string | undefined): readonly string[] {
  const ranges = (header ?? '').slice(0, MAX_CHARACTERS).split(',', MAX_RANGES);
  if (header !== undefined && header.length > MAX_CHARACTERS && ranges.length < MAX_RANGES) ranges.pop(); // it is cut off
  const accepted = ranges.flatMap((range) => {
    const [, language, weight = '1'] = RANGE.exec(range.trim()) ?? [];
    return language !== undefined && Number(weight) > 0 ? [{ language, weight: Number(weight) }] : [];
  });
  return accepted.toSorted((one, other) => other.weight - one.weight).map(({ language }) => language);
}
