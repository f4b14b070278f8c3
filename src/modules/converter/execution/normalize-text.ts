import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createDecoder } from '../../../shared/create-decoder.js';
import { countUtf8, detectEncoding, detectUtf16, isMostlyUtf8, type Utf8Count } from '../../../shared/detect-encoding.js';
import { readHead } from './read-picture-header.js';

const MARK = '\ufeff';
/** The part of a text by which its encoding and its separator are found. */
const HEAD_BYTES = 1_048_576;
/** Lines of a CSV by which its separator is found. */
const MAX_LINES = 100;
/** Separators, the ones that hardly occur in columns first: a comma may be a decimal point. */
const SEPARATORS = ['\t', ';', '|', ','] as const;
/** The first line of a table that Excel writes, and its longest form. */
const DECLARATION = /^sep=([\t;|,])(?:\r\n|\n|\r)/i;
const MAX_DECLARATION = 7;
/** A cell in quotes, which may contain separators and the ends of lines. */
const QUOTED_CELL = /(?<=^|[\t;|,\r\n])"(?:[^"]|"")*"(?=$|[\t;|,\r\n])/g;

/** Rewrites a text file in UTF-8 with a byte order mark, whatever its encoding. Memory does not depend on its size. */
export async function normalizeText(file: string): Promise<void> {
  await rewrite(file, (text) => text);
}

/**
 * Rewrites a table of text in UTF-8 with a byte order mark, with quotes around every cell, by which LibreOffice knows that a cell is a text: it would
 * take `007` for a number, `1/2` for a date and `=1+1` for a formula. Returns the character between its columns.
 */
export async function normalizeTable(file: string): Promise<string> {
  const head = await readHead(file, HEAD_BYTES);
  const separator = findSeparator(createDecoder(await encodingOf(file))(head));
  await rewrite(file, quoteCells(separator));
  return separator;
}

/** Rewrites a text in UTF-8, piece by piece; `change` gets no text at the end. */
async function rewrite(file: string, change: (text: string | undefined) => string | undefined): Promise<void> {
  const decode = createDecoder(await encodingOf(file));
  const written = `${file}-utf8`;
  await pipeline(
    createReadStream(file),
    async function* (chunks: AsyncIterable<Buffer>) {
      yield MARK;
      for await (const chunk of chunks) yield change(decode(chunk)) ?? '';
      yield change(decode()) ?? '';
      yield change(undefined) ?? '';
    },
    createWriteStream(written),
  );
  await rename(written, file);
}

/** Where the reader of a table is: before a cell, in a cell with or without quotes, or after a quote that ends its cell or is the first of two. */
type Place = 'before' | 'plain' | 'quoted' | 'quote';

/**
 * Returns a function that puts the cells of a table (RFC 4180) into quotes, piece by piece; without a text it ends the last cell. A quote within a cell
 * that has none around it is a character, and what follows the closing quote belongs to the cell, as in spreadsheets.
 */
function quoteCells(separator: string): (text: string | undefined) => string {
  let place: Place = 'before';
  const isEnd = (character: string) => character === separator || character === '\n' || character === '\r';
  const plain = (character: string): string => {
    if (isEnd(character)) {
      const end = place === 'before' ? character : `"${character}`;
      place = 'before';
      return end;
    }
    const start = place === 'before' ? '"' : '';
    place = 'plain';
    return start + (character === '"' ? '""' : character);
  };
  const read = (character: string): string => {
    if (place === 'quote' && character !== '"') return plain(character);
    if (place === 'quoted' || place === 'quote' || (place === 'before' && character === '"')) {
      const written = place === 'quote' ? '""' : place === 'before' || character !== '"' ? character : '';
      place = place === 'quoted' && character === '"' ? 'quote' : 'quoted';
      return written;
    }
    return plain(character);
  };
  const skip = skipDeclaration();
  return (text) => {
    if (text === undefined) return Array.from(skip(undefined), read).join('') + (place === 'before' ? '' : '"');
    return Array.from(skip(text), read).join('');
  };
}

/** Returns a function that leaves out the first line of a table if it only declares the separator (`sep=;`), which no reader shows. */
function skipDeclaration(): (text: string | undefined) => string {
  let head: string | null = '';
  return (text) => {
    if (head === null) return text ?? '';
    head += text ?? '';
    if (text !== undefined && head.length < MAX_DECLARATION) return '';
    const rest = head.replace(DECLARATION, '');
    head = null;
    return rest;
  };
}

async function encodingOf(file: string): Promise<string> {
  const head = await readHead(file, HEAD_BYTES);
  return detectUtf16(head) ?? ((await isUtf8File(file)) ? 'utf-8' : detectEncoding(head));
}

async function isUtf8File(file: string): Promise<boolean> {
  const decode = createDecoder('utf-8');
  const total = { right: 0, wrong: 0 };
  const add = ({ right, wrong }: Utf8Count): void => {
    total.right += right;
    total.wrong += wrong;
  };
  for await (const chunk of createReadStream(file)) add(countUtf8(chunk as Buffer, decode));
  if (decode() !== '') total.wrong += 1;
  return isMostlyUtf8(total);
}

/**
 * Finds the separator of a CSV (RFC 4180): Excel's `sep=;` in the first line, else the character that is equally often in all lines, else the one in
 * most lines. Quoted columns do not count. A comma by default.
 */
export function findSeparator(text: string): string {
  const declared = DECLARATION.exec(text)?.[1];
  if (declared !== undefined) return declared;
  const lines = text
    .replaceAll(QUOTED_CELL, '')
    .split(/\r?\n|\r/, MAX_LINES + 1)
    .slice(0, MAX_LINES);
  const plain = lines.filter((line) => line.trim() !== '');
  const counts = SEPARATORS.map((separator) => ({ separator, perLine: plain.map((line) => line.split(separator).length - 1) }));
  const regular = counts.find(({ perLine: [first = 0, ...others] }) => first > 0 && others.every((count) => count === first));
  if (regular) return regular.separator;
  const linesWith = (perLine: readonly number[]) => perLine.filter((count) => count > 0).length;
  const [most] = counts.toSorted((one, other) => linesWith(other.perLine) - linesWith(one.perLine));
  return most && linesWith(most.perLine) > 0 ? most.separator : ',';
}
