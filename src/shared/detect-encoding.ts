import chardet from 'chardet';

/** Bytes of a text that are looked at: some hundred lines. chardet takes some 40 ms for them. */
const SAMPLE_BYTES = 16_384;
const LINE_END = 0x0a;
/** What a language adds to the confidence (0 to 100) of its encoding: more than the differences within a family, less than a sure detection. */
const HINT = 30;
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

/** The encoding that programs used for a language before UTF-8. */
const BY_LANGUAGE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'windows-1250': 'pl cs sk hu sl hr bs ro sq',
    'windows-1251': 'ru uk be bg sr mk kk',
    'windows-1252': 'en de fr es it pt nl da sv no nb nn fi is ca',
    'windows-1253': 'el',
    'windows-1254': 'tr az',
    'windows-1255': 'he yi',
    'windows-1256': 'ar fa ur',
    'windows-1257': 'et lt lv',
    'windows-1258': 'vi',
    gb18030: 'zh',
    big5: 'zh-hant zh-tw zh-hk yue',
    shift_jis: 'ja',
    'euc-kr': 'ko',
  }).flatMap(([encoding, languages]) => languages.split(' ').map((language) => [language, encoding] as const)),
);

/**
 * Detects the encoding of a text that is not UTF-8 or UTF-16, as a label of WHATWG Encoding: windows-1250 to 1258, GB18030, Big5, Shift_JIS, EUC-KR
 * and relatives. `language`: a tag (BCP 47) that decides between similar ones; null: unknown. Looks at a bounded part of the text.
 */
export function detectEncoding(content: Uint8Array, language: string | null): string {
  const sample = sampleOf(content);
  const hinted = hintOf(language);
  const scores = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(sample)) {
    const label = LABELS.get(name);
    if (label !== undefined) scores.set(label, Math.max(scores.get(label) ?? 0, confidence));
  }
  const [likely, lead] = hinted === null ? ['windows-1252', PRIOR] : [hinted, HINT];
  scores.set(likely, (scores.get(likely) ?? 0) + lead);
  const ranked = [...scores].sort(([, one], [, other]) => other - one).map(([label]) => label);
  return ranked.find((label) => isValid(sample, label)) ?? 'windows-1252';
}

const hintOf = (language: string | null): string | null => {
  const tag = (language ?? '').toLowerCase();
  const [primary = '', second = ''] = tag.split('-');
  return BY_LANGUAGE.get(`${primary}-${second}`) ?? BY_LANGUAGE.get(primary) ?? null;
};

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

/** The characters of the bytes 0x80 to 0x9f in windows-1252 (WHATWG Encoding); TextDecoder reads them differently in some versions of Node. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Returns a function that decodes the pieces of a text one after the other, and at the end what remained of them. It omits a byte order mark. Invalid
 * sequences are decoded to U+FFFD.
 */
export function createDecoder(encoding: string): (piece?: Uint8Array) => string {
  if (encoding === 'windows-1252') return decodeWestern;
  const decoder = new TextDecoder(encoding);
  return (piece) => decoder.decode(piece, { stream: piece !== undefined });
}

const decodeWestern = (piece: Uint8Array = new Uint8Array()): string =>
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80));

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
