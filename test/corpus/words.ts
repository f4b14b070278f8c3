import type { Recipe } from './make-file.js';

/** Subtitles, and the texts of the cues that people see. */
export interface CorpusWords extends Recipe {
  /** The tag of their language. */
  readonly language: string;
  readonly cues: readonly string[];
}

/** Subtitles that are refused: the line that has to be changed, and why. */
export interface RefusedWords extends Recipe {
  readonly language?: string;
  readonly line: number;
  readonly reason: RegExp;
}

const time = (second: number, mark: string) => `00:00:0${second}${mark}000`;
const subRip = (lines: readonly string[]): string =>
  lines.map((line, index) => `${index + 1}\n${time(2 * index + 1, ',')} --> ${time(2 * index + 2, ',')}\n${line}\n`).join('\n');
const webVtt = (lines: readonly string[]): string =>
  `WEBVTT\n\n${lines.map((line, index) => `${time(2 * index + 1, '.')} --> ${time(2 * index + 2, '.')}\n${line}\n`).join('\n')}`;

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  ru: ['Чайка летит над гаванью.', 'Завтра будет шторм, сказал капитан.'],
  ja: ['カモメが港の上を飛んでいる。', '明日は嵐になると船長は言った。'],
  zh: ['海鸥在港口上空飞翔。', '船长说明天会有暴风雨。'],
  cs: ['Příliš žluťoučký kůň.', 'Zítra bude bouře, řekl kapitán.'],
  th: ['นกนางนวลบินอยู่เหนือท่าเรือ', 'พรุ่งนี้จะมีพายุ'],
  'zh-Hant': ['快走！', '船長說明天會有暴風雨。'],
  de: ['Die Möwe fliegt über den Hafen.', 'Morgen gibt es Sturm, sagt der Kapitän.'],
};
/** A text with the byte 0xe9 in place of `~`. */
const withWrongByte = (text: string): Buffer => Buffer.from(Buffer.from(text).map((byte) => (byte === 0x7e ? 0xe9 : byte)));
const encoded = (language: string, encoding: string, extension: 'srt' | 'vtt' = 'srt'): CorpusWords => {
  const cues = TEXTS[language] ?? [];
  return {
    ...{ name: `${language} in ${encoding}`, extension, language, cues, content: extension === 'srt' ? subRip(cues) : webVtt(cues) },
    runs: [['iconv', '-f', 'UTF-8', '-t', encoding, '-o', '{file}', '{0}']],
  };
};

export const WORDS: readonly CorpusWords[] = [
  encoded('ru', 'WINDOWS-1251'),
  encoded('ja', 'SHIFT_JIS'),
  encoded('zh', 'GBK'),
  encoded('de', 'ISO-8859-1'),
  encoded('de', 'UTF-8', 'vtt'),
  encoded('ja', 'UTF-16'),
  encoded('ru', 'UTF-16BE', 'vtt'),
  encoded('ru', 'KOI8-R'),
  encoded('ru', 'CP866'),
  encoded('de', 'CP850'),
  encoded('de', 'MACINTOSH'),
  encoded('cs', 'ISO-8859-2'),
  encoded('th', 'TIS-620'),
  encoded('zh-Hant', 'BIG5'),
  {
    ...{ name: 'UTF-8 with a wrong byte', extension: 'srt', language: 'fr', cues: ['Café déjà vu', 'na\ufffdve'] },
    content: withWrongByte(subRip(['Café déjà vu', 'na~ve'])),
  },
  {
    ...{ name: 'WebVTT with wrong bytes alone', extension: 'vtt', language: 'fr', cues: ['Caf\ufffd', 'na\ufffdve'] },
    content: withWrongByte(webVtt(['Caf~', 'na~ve'])),
  },
  {
    ...{ name: 'a cue that ends before it begins, beside another one', extension: 'srt', language: 'de', cues: ['Morgen gibt es Sturm.'] },
    content: '1\n00:00:05,000 --> 00:00:02,000\nVerloren\n\n2\n00:00:06,000 --> 00:00:07,000\nMorgen gibt es Sturm.\n',
  },
  {
    ...{ name: 'lines of Windows without numbers and with points', extension: 'srt', language: 'de', cues: ['Die Möwe', 'Der Sturm'] },
    content: '\ufeff0:00:01.000-->0:00:02.000\r\nDie Möwe\r\n\r\n0:00:03.000 --> 0:00:04.000\r\nDer Sturm',
  },
];

const ENCODING = /cannot be read in the language of the track\. Save the file as UTF-8/;

export const REFUSED_WORDS: readonly RefusedWords[] = [
  { ...encoded('ru', 'WINDOWS-1251', 'vtt'), line: 4, reason: ENCODING },
  ...(
    [
      ['th', 'ru', 'WINDOWS-1251'],
      ['de', 'cs', 'ISO-8859-2'],
      ['en', 'ru', 'CP866'],
      ['hi', 'de', 'ISO-8859-1'],
    ] as const
  ).map(([language, written, encoding]) => ({
    ...encoded(written, encoding),
    ...{ name: `${written} in ${encoding} that says it is ${language}`, language, line: 3, reason: ENCODING },
  })),
  {
    ...{ name: 'only a cue that ends before it begins', extension: 'srt', line: 2, reason: /has to end after it begins/ },
    content: '1\n00:00:05,000 --> 00:00:02,000\nVerloren\n',
  },
  {
    ...{ name: 'a broken timing line', extension: 'srt', line: 6, reason: /time/ },
    content: '1\n00:00:01,000 --> 00:00:02,000\nDie Möwe\n\n2\n00:00:03;000 -> 00:00:04,000\nDer Sturm\n',
  },
];
