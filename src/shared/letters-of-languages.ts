/** What a text in a language consists of, and how programs stored it before UTF-8. */
export interface LettersOfLanguage {
  /** The letters beyond ASCII, of which one is a match. */
  readonly letters: RegExp;
  /** The script of these letters, of which names from other languages may have further ones. */
  readonly script: RegExp;
  /** Encodings that can hold it, the most frequent one first; empty: only UTF-8 and UTF-16 can. */
  readonly encodings: readonly string[];
  /** The most frequent letters, by which encodings that have the same letters at other places are told apart. */
  readonly common?: RegExp;
}

/** A script, the encodings of most of its languages, and the languages with their letters in lower case. */
interface Group {
  readonly script: string;
  readonly encodings: string;
  readonly common?: string;
  readonly languages: Readonly<Record<string, string>>;
}

const ARABIC =
  '\\u060c\\u061b\\u061f\\u0621-\\u0655\\u067e\\u0686\\u0688\\u0691\\u0698\\u06a9\\u06af\\u06ba\\u06be\\u06c1\\u06cc\\u06d2\\u200c-\\u200f';
const HEBREW = '\\u05b0-\\u05ea\\u200e\\u200f';

const GROUPS: readonly Group[] = [
  {
    script: 'Latin',
    encodings: 'windows-1252 iso-8859-15 ibm850 macintosh ibm437',
    languages: {
      en: 'àáâäæçèéêëíîïñóôöœúûü',
      de: 'äöüßéèêàáç',
      fr: 'àâæçéèêëîïôœùûüÿ',
      es: 'áéíóúüñç',
      it: 'àèéìíîòóùú',
      pt: 'áàâãçéêíóôõúü',
      nl: 'áàâäçéèêëíïóôöúûü',
      da: 'æøåéèêóôäöü',
      no: 'æøåéèêóòôäöü',
      nb: 'æøåéèêóòôäöü',
      nn: 'æøåéèêóòôäöü',
      sv: 'åäöéàèüëáç',
      fi: 'åäöéšžü',
      is: 'áéíóúýþæöð',
      fo: 'áíóúýæøð',
      ca: 'àçèéíïòóúü·',
      gl: 'áéíóúüñ',
      eu: 'çñü',
      ga: 'áéíóú',
      gd: 'àèìòù',
      af: 'áèéêëîïôöûü',
      sq: 'çë',
    },
  },
  {
    script: 'Latin',
    encodings: 'windows-1250 iso-8859-2 ibm852',
    languages: {
      pl: 'ąćęłńóśźż',
      cs: 'áčďéěíňóřšťúůýž',
      sk: 'áäčďéíĺľňóôŕšťúýž',
      hu: 'áéíóöőúüű',
      sl: 'čšžćđ',
      hr: 'čćđšž',
      bs: 'čćđšž',
      'sr-latn': 'čćđšž',
      ro: 'ăâîșțşţ',
    },
  },
  {
    script: 'Latin',
    encodings: 'windows-1257 iso-8859-13 iso-8859-4',
    languages: { et: 'äöõüšž', lv: 'āčēģīķļņšūžōŗ', lt: 'ąčęėįšųūž' },
  },
  { script: 'Latin', encodings: 'windows-1254 ibm857', languages: { tr: 'âçğıîİöşûü', az: 'çğıİöşü' } },
  {
    script: 'Latin',
    encodings: 'windows-1258',
    languages: { vi: 'ăâđêôơưàáãèéìíòóõùúý\\u0300\\u0301\\u0303\\u0309\\u0323' },
  },
  {
    ...{ script: 'Cyrillic', encodings: 'windows-1251 koi8-u ibm866 iso-8859-5 x-mac-cyrillic', common: 'оеаинтсрвлкі' },
    languages: {
      ru: 'а-яё',
      uk: 'а-щьюяєіїґ',
      be: 'а-зй-шыьэюяёіў',
      bg: 'а-щъьюя',
      sr: 'абвгдђежзијклљмнњопрстћуфхцчџш',
      mk: 'абвгдѓежзѕијклљмнњопрстќуфхцчџшѝѐ',
    },
  },
  { script: 'Greek', encodings: 'windows-1253 iso-8859-7 ibm737', languages: { el: 'α-ωάέήίόύώϊϋΐΰ' } },
  { script: 'Hebrew', encodings: 'windows-1255 iso-8859-8 ibm862', languages: { he: HEBREW, yi: HEBREW } },
  { script: 'Arabic', encodings: 'windows-1256 iso-8859-6', languages: { ar: ARABIC, fa: ARABIC, ur: ARABIC } },
  { script: 'Thai', encodings: 'windows-874', languages: { th: '\\u0e01-\\u0e5b' } },
];

const profile = (letters: string, { script, encodings, common }: Omit<Group, 'languages'>): LettersOfLanguage => ({
  letters: new RegExp(`[${letters}]`, 'iu'),
  script: new RegExp(`[\\p{Script=${script}}\\p{M}]`, 'u'),
  encodings: encodings.split(' '),
  ...(common !== undefined && { common: new RegExp(`[${common}]`, 'iu') }),
});

const LANGUAGES: ReadonlyMap<string, LettersOfLanguage> = new Map(
  GROUPS.flatMap(({ languages, ...group }) => Object.entries(languages).map(([language, letters]) => [language, profile(letters, group)])),
);

/** Languages of which the letters are not listed: all of Latin-1 or of Russian; languages of other scripts were not stored in such encodings. */
const BY_SCRIPT: Readonly<Record<string, LettersOfLanguage>> = {
  Latn: profile('à-öø-ÿ', { script: 'Latin', encodings: 'windows-1252 iso-8859-15 ibm850 macintosh' }),
  Cyrl: profile('а-яёђѓєѕіїјљњћќўџґ', { script: 'Cyrillic', encodings: 'windows-1251', common: 'оеаинтсрвлкі' }),
};
const OTHER: LettersOfLanguage = { letters: /[\p{L}\p{M}\p{P}]/u, script: /(?![a-z])[\p{L}\p{M}\p{P}]/iu, encodings: [] };

/** Returns the letters of a language, by its tag (BCP 47). */
export function lettersOf(language: string): LettersOfLanguage {
  const { language: primary, script } = new Intl.Locale(language).maximize();
  return LANGUAGES.get(`${primary}-${script}`.toLowerCase()) ?? byPrimary(primary, script) ?? BY_SCRIPT[script ?? ''] ?? OTHER;
}

/** A language that is written in another script than usual, such as Russian in Latin letters, has other letters. */
function byPrimary(primary: string, script: string | undefined): LettersOfLanguage | undefined {
  return new Intl.Locale(primary).maximize().script === script ? LANGUAGES.get(primary) : undefined;
}
