import { readFile } from 'node:fs/promises';
import { createDecoder } from '../../../shared/create-decoder.js';
import { detectEncoding, findEncoding } from '../../../shared/detect-encoding.js';

/** Letters beyond ASCII in a row: words in Latin letters have fewer, words in other scripts consist of them. */
const OTHER_SCRIPT = /[\x80-\xff]{3}/;
/** Encodings of other scripts than Cyrillic that the frequency of letters also finds in a title. */
const TOLD_APART = new Set(['windows-1253', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);
/** Languages whose letters decide between the encodings of Cyrillic. */
const CYRILLIC = ['ru', 'uk'];

/**
 * Reads ffprobe's JSON about a file. Tags that are not UTF-8, such as those of ID3v1, which states no encoding, are decoded together by the encoding that
 * they are most likely in: Latin letters are windows-1252, as ID3v1 has it.
 */
export async function readProbeAnswer(name: string): Promise<string> {
  const content = await readFile(name);
  const text = utf8(content);
  if (text !== null) return text;
  const written = content.toString('latin1');
  const wrong: string[] = [];
  changeTexts(written, (bytes, one) => {
    if (utf8(bytes) === null) wrong.push(one);
    return one;
  });
  const encoding = encodingOf(wrong.join('\n'));
  const decode = (bytes: Buffer): string => {
    const decoder = createDecoder(encoding);
    return decoder(bytes) + decoder();
  };
  return JSON.stringify(changeTexts(written, (bytes) => utf8(bytes) ?? decode(bytes)));
}

/** Parses JSON whose characters are bytes, and changes the texts in it. */
const changeTexts = (json: string, change: (bytes: Buffer, text: string) => string): unknown =>
  JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? change(Buffer.from(value, 'latin1'), value) : value));

/** Null: it is not UTF-8. */
function utf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** `text`: one character for each byte. */
function encodingOf(text: string): string {
  if (!OTHER_SCRIPT.test(text)) return 'windows-1252';
  const bytes = Buffer.from(text, 'latin1');
  const likely = detectEncoding(bytes);
  if (TOLD_APART.has(likely)) return likely;
  return CYRILLIC.map((language) => findEncoding(bytes, language)).find((encoding) => encoding !== null && encoding !== 'utf-8') ?? likely;
}
