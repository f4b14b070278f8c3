import chardet from 'chardet';
import { createDecoder } from './create-decoder.js';
import { type LettersOfLanguage, lettersOf } from './letters-of-languages.js';

/** Bytes of a text that are looked at: some hundred lines. chardet takes some 40 ms for them. */
const SAMPLE_BYTES = 16_384;
const LINE_END = 0x0a;
/** What the most frequent encoding has ahead of the others without a known language: it decides about a few characters only. */
const PRIOR = 1;

/** Labels of WHATWG Encoding, by chardet's names. Of two encodings that differ in a few characters the one that programs for Windows write. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((number) => [`windows-125${number}`, `windows-125${number}`] as const),
  ...([
    ['ISO-8859-1', 'windows-1252'],
    ['ISO-8859-2', 'iso-8859-2'],
    ['ISO-8859-5', 'iso-8859-5'],
    ['ISO-8859-6', 'iso-8859-6'],
    ['ISO-8859-7', 'windows-1253'],
    ['ISO-8859-8', 'windows-1255'],
    ['ISO-8859-9', 'windows-1254'],
    ['KOI8-R', 'koi8-r'],
    ['GB18030', 'gb18030'],
    ['Big5', 'big5'],
    ['Shift_JIS', 'shift_jis'],
    ['EUC-JP', 'euc-jp'],
    ['EUC-KR', 'euc-kr'],
  ] as const),
]);

/** Letters that are read correctly for each byte that is not UTF-8: other encodings form a valid sequence only by chance. */
const UTF8_PER_WRONG_BYTE = 2;

/**
 * Finds the encoding of a text that is not UTF-16: UTF-8, also with single wrong bytes, or the first encoding that can hold the language in which every
 * word has the letters of the language. `language`: a tag (BCP 47); null: unknown, then the most likely encoding. Null: it cannot be told. Looks at a
 * bounded part of the text.
 */
export function findEncoding(content: Uint8Array, language: string | null): string | null {
  const sample = sampleOf(content);
  if (language === null) return isMostlyUtf8(countUtf8(sample)) ? 'utf-8' : detectEncoding(content);
  const profile = lettersOf(language);
  const utf8 = fitOf(decodeAll(sample, 'utf-8'), profile);
  if (utf8.right > 0 && utf8.right >= utf8.wrong) return 'utf-8';
  return findByLetters(sample, profile) ?? findEastAsian(sample, language);
}

/** Characters beyond ASCII, and sequences that are not UTF-8. */
export interface Utf8Count {
  readonly right: number;
  readonly wrong: number;
}

/** Counts what a text has beyond ASCII if it is read as UTF-8. `decode`: the reader of the pieces of a longer text. */
export function countUtf8(content: Uint8Array, decode = createDecoder('utf-8')): Utf8Count {
  const text = decode(content);
  let [right, wrong] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) wrong += 1;
    else if (code >= 0x80) right += 1;
  }
  return { right, wrong };
}

/** Whether a text is UTF-8, perhaps with single wrong bytes. */
export const isMostlyUtf8 = ({ right, wrong }: Utf8Count): boolean => right >= wrong * UTF8_PER_WRONG_BYTE;

/** The most likely encoding of a text in an unknown language that is not UTF-8 or UTF-16. */
export function detectEncoding(content: Uint8Array): string {
  const sample = sampleOf(content);
  const scores = new Map<string, number>([['windows-1252', PRIOR]]);
  for (const { name, confidence } of chardet.analyse(sample)) {
    const label = LABELS.get(name);
    if (label !== undefined) scores.set(label, Math.max(scores.get(label) ?? 0, confidence + (label === 'windows-1252' ? PRIOR : 0)));
  }
  const ranked = [...scores].sort(([, one], [, other]) => other - one).map(([label]) => label);
  return ranked.find((label) => isValid(sample, label)) ?? 'windows-1252';
}

const decodeAll = (sample: Uint8Array, encoding: string): string => {
  const decode = createDecoder(encoding);
  return decode(sample) + decode();
};

/** How well a text that was decoded fits its language, by its characters beyond ASCII. */
interface Fit {
  /** Letters of the language where letters can be; the frequent ones count fully. */
  readonly score: number;
  /** Letters of the language, and signs that texts of all languages have. */
  readonly right: number;
  /** Letters of other languages in the same script, as in names. */
  readonly foreign: number;
  /** Everything else: other scripts, control characters, signs within words, and capitals after small letters. */
  readonly wrong: number;
}

/** Signs that may stand before a word, after one, and within one. */
const BEFORE = new Set('¿¡«»“”„‚‘’‹›…–—·•´°♪♫\u00a0\u00ad');
const AFTER = new Set('«»“”‘’‹›…–—·´°ºª²³®©™♪♫\u00a0\u00ad');
const WITHIN = new Set('’‘´·…–—\u00a0\u00ad');
/** Signs between words. */
const APART = new Set('§¶†‡€£¥¢¤½¼¾¹±×÷№¦¬');
/** Letters beyond ASCII in a row of which one is no letter of the language: more than names have. */
const MAX_ROW = 4;
/** What a frequent letter counts, and another one, where encodings have the same letters at other places. */
const [COMMON, RARE] = [1, 0.2];

function fitOf(text: string, { letters, script, common }: LettersOfLanguage): Fit {
  let [score, right, foreign, wrong, row] = [0, 0, 0, 0, 0];
  for (const match of text.matchAll(/[^\0-\x7f]/gu)) {
    const [character] = match;
    const [before, after] = [text[match.index - 1] ?? '', text[match.index + character.length] ?? ''];
    const [follows, leads] = [isLetter(before), isLetter(after)];
    row = before >= '\x80' && follows ? row + 1 : 1;
    if (letters.test(character)) {
      if (isCapital(character) && isSmall(before)) wrong += 1;
      else [right, score] = [right + 1, score + (common === undefined || common.test(character) ? COMMON : RARE)];
    } else if (isLetter(character)) {
      if (!script.test(character) || (isCapital(character) && isSmall(before)) || row > MAX_ROW) wrong += 1;
      else foreign += 1;
    } else {
      const isFit = follows ? (leads ? WITHIN : AFTER).has(character) : !leads || BEFORE.has(character);
      if (isFit && (BEFORE.has(character) || AFTER.has(character) || APART.has(character))) right += 1;
      else wrong += 1;
    }
  }
  return { score: score - foreign / 2 - wrong * 2, right, foreign, wrong };
}

const isLetter = (character: string): boolean => /[\p{L}\p{M}]/u.test(character);
const isCapital = (character: string): boolean => /\p{Lu}/u.test(character);
const isSmall = (character: string): boolean => /\p{Ll}/u.test(character);

/** A twentieth of what a text has beyond ASCII may be damaged; a third, or two letters, may be of names from other languages. */
const isAcceptable = ({ right, foreign, wrong }: Fit): boolean => {
  const all = right + foreign + wrong;
  return wrong <= all / 20 && foreign <= Math.max(2, all / 3);
};

/** The most frequent encoding if the text fits perfectly, else the one in which it fits best; null: it fits in none. */
function findByLetters(sample: Uint8Array, profile: LettersOfLanguage): string | null {
  const fits = profile.encodings.map((encoding) => ({ encoding, fit: fitOf(decodeAll(sample, encoding), profile) }));
  const [first] = fits;
  if (first && profile.common === undefined && first.fit.wrong + first.fit.foreign === 0) return first.encoding;
  const [best] = fits.toSorted((one, other) => other.fit.score - one.fit.score);
  return best && isAcceptable(best.fit) ? best.encoding : null;
}

/** An encoding of an East Asian language, and the most frequent characters of its texts. */
interface EastAsian {
  readonly encoding: string;
  readonly common: RegExp;
}
const GB18030: EastAsian = {
  encoding: 'gb18030',
  common:
    /[的一是不了人我在有他这中大来上个国说们到时地为子你得就那要下会以可也之后自过发天没好和心出看去什吗么能对起还生想样道知，。？！…“”]/gu,
};
const BIG5: EastAsian = {
  encoding: 'big5',
  common:
    /[的一是不了人我在有他這中大來上個國說們到時地為子你得就那要下會以可也之後自過發天沒好和心出看去什嗎麼能對起還生想樣道知，。？！…「」]/gu,
};
const KANA = /[\u3041-\u30ff\u3001\u3002]/gu;
const SHIFT_JIS: EastAsian = { encoding: 'shift_jis', common: KANA };
const EUC_JP: EastAsian = { encoding: 'euc-jp', common: KANA };
const EUC_KR: EastAsian = {
  encoding: 'euc-kr',
  common: /[이다는가을를은의에고도한지하나니어요시로그내아있해자사서기리만네데면수게안녕세정말]/gu,
};

/** A text of an East Asian language, or of another one with lines of one, consists of characters of which these shares are frequent. */
const [OWN_SHARE, STRANGE_SHARE] = [0.02, 0.3];
/** Characters by which lines of another language can be told. */
const MIN_CHARACTERS = 8;

/** The encodings of an East Asian language; empty: it is another language. */
function eastAsianOf(language: string): readonly EastAsian[] {
  const { language: primary, script } = new Intl.Locale(language).maximize();
  if (primary === 'ja') return [SHIFT_JIS, EUC_JP];
  if (primary === 'ko') return [EUC_KR];
  if (script === 'Hant') return [BIG5, GB18030];
  return script === 'Hans' ? [GB18030, BIG5] : [];
}
/**
 * The East Asian encoding in which most characters are frequent; of several the first. Lines of such a language occur in texts of others, too. Null: there
 * is none.
 */
function findEastAsian(sample: Uint8Array, language: string): string | null {
  const own = eastAsianOf(language);
  const candidates = own.length > 0 ? own : [GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR];
  const fits = candidates.map(({ encoding, common }) => {
    const text = decodeAll(sample, encoding);
    const all = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
    return { encoding, all, wrong: text.match(STRANGE)?.length ?? 0, frequent: text.match(common)?.length ?? 0 };
  });
  const [best] = fits.toSorted((one, other) => other.frequent - other.wrong * 2 - (one.frequent - one.wrong * 2));
  if (best === undefined) return null;
  const isOwn = own.length > 0 && best.wrong <= best.all / 20 && best.frequent >= Math.floor(best.all * OWN_SHARE);
  const isStrange = best.wrong === 0 && best.all >= MIN_CHARACTERS && best.frequent >= best.all * STRANGE_SHARE;
  return isOwn || isStrange ? best.encoding : null;
}

/** Characters that texts of East Asian languages do not have, and readings of bytes in a wrong encoding do. */
const STRANGE = /[\ufffd\x80-\x9f\uff61-\uff9f\p{Co}\p{Script=Cyrillic}\p{Script=Arabic}]/gu;

/** The lines with characters beyond ASCII, because the others say nothing. */
function sampleOf(content: Uint8Array): Uint8Array {
  const sample = Buffer.alloc(SAMPLE_BYTES);
  let length = 0;
  let start = 0;
  for (let at = 0; at < content.length && length < SAMPLE_BYTES; at += 1) {
    const byte = content[at] ?? 0;
    if (byte === LINE_END) start = at + 1;
    if (byte < 0x80) continue;
    const next = content.indexOf(LINE_END, at);
    const end = next === -1 ? content.length : next + 1;
    sample.set(content.subarray(start, Math.min(end, start + SAMPLE_BYTES - length)), length);
    length = Math.min(SAMPLE_BYTES, length + end - start);
    start = end;
    at = end - 1;
  }
  // A sample that was cut off ends within a line, perhaps within a character.
  const last = length === SAMPLE_BYTES ? sample.lastIndexOf(LINE_END) + 1 : length;
  return sample.subarray(0, last > 0 ? last : length);
}

/** Detects UTF-16 by its mark, or by a zero byte in the first character, as in Latin letters and digits; null: it is another encoding. */
export function detectUtf16([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (second === undefined) return null;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : null;
}

function isValid(sample: Uint8Array, label: string): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
