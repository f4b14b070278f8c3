import { detectImageType } from '../../../formats/index.js';

/** What files begin with, and what they are for a person. */
const SIGNATURES: readonly (readonly [bytes: string, name: string])[] = [
  ['PK\x03\x04', 'a ZIP archive or an office document'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['%PDF', 'a PDF'],
  ['%!', 'PostScript'],
  ['\xd0\xcf\x11\xe0', 'an old office document'],
  ['{\\rtf', 'a rich text'],
  ['\x7fELF', 'a program'],
  ['MZ', 'a program'],
  ['#!', 'a script'],
  ['#EXTM3U', 'a playlist'],
  ['[playlist]', 'a playlist'],
];
const BOM = '\xef\xbb\xbf';
const MARKUP = /^<(\?xml|!doctype|!--|[a-z][\w:-]*[\s>/])/i;

/** What a file is by its first bytes, as the end of a sentence that begins with `it is`; null: nobody knows. */
export function nameContent(head: Buffer): string | null {
  if (head.length === 0) return 'empty';
  if (head.every((byte) => byte === 0)) return 'nothing but zeros';
  const text = head.toString('latin1').replace(BOM, '').trimStart();
  const image = detectImageType(head);
  if (image !== null) return `a picture (${image})`;
  const [, name] = SIGNATURES.find(([bytes]) => text.startsWith(bytes)) ?? [];
  if (name !== undefined) return name;
  if (MARKUP.test(text)) return /<svg[\s>]/i.test(text) ? 'an SVG drawing' : 'a text in a markup language';
  return isText(head) ? 'a text' : null;
}

/** Every byte is printable, and many are. */
export const isText = (head: Buffer): boolean => head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
