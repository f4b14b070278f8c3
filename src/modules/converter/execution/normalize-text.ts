import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createDecoder, detectEncoding, detectUtf16 } from '../../../shared/detect-encoding.js';
import { readHead } from './read-picture-header.js';

const MARK = '\ufeff';
/** The part of a text by which its encoding and its separator are found. */
const HEAD_BYTES = 1_048_576;
/** Lines of a CSV by which its separator is found. */
const MAX_LINES = 100;
/** Separators, the ones that hardly occur in columns first: a comma may be a decimal point. */
const SEPARATORS = ['\t', ';', '|', ','] as const;

/** Rewrites a text file in UTF-8 with a byte order mark, whatever its encoding. Memory does not depend on its size. */
export async function normalizeText(file: string): Promise<void> {
  const decode = createDecoder(await encodingOf(file));
  const written = `${file}-utf8`;
  await pipeline(
    createReadStream(file),
    async function* (chunks: AsyncIterable<Buffer>) {
      yield MARK;
      for await (const chunk of chunks) yield decode(chunk);
      yield decode();
    },
    createWriteStream(written),
  );
  await rename(written, file);
}

async function encodingOf(file: string): Promise<string> {
  const head = await readHead(file, HEAD_BYTES);
  return detectUtf16(head) ?? ((await isUtf8File(file)) ? 'utf-8' : detectEncoding(head, null));
}

async function isUtf8File(file: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}

/** Finds the character between the columns of a CSV in UTF-8. */
export async function readSeparator(file: string): Promise<string> {
  return findSeparator(new TextDecoder().decode(await readHead(file, HEAD_BYTES)));
}

/**
 * Finds the separator of a CSV (RFC 4180): Excel's `sep=;` in the first line, else the character that is equally often in all lines, else the one in
 * most lines. Quoted columns do not count. A comma by default.
 */
export function findSeparator(text: string): string {
  const declared = /^sep=(.)\r?\n/i.exec(text)?.[1];
  if (declared !== undefined && (SEPARATORS as readonly string[]).includes(declared)) return declared;
  const lines = text.split(/\r?\n|\r/, MAX_LINES + 1).slice(0, MAX_LINES);
  const plain = lines.map((line) => line.replaceAll(/"[^"]*"/g, '')).filter((line) => line.trim() !== '');
  const counts = SEPARATORS.map((separator) => ({ separator, perLine: plain.map((line) => line.split(separator).length - 1) }));
  const regular = counts.find(({ perLine: [first = 0, ...others] }) => first > 0 && others.every((count) => count === first));
  if (regular) return regular.separator;
  const linesWith = (perLine: readonly number[]) => perLine.filter((count) => count > 0).length;
  const [most] = counts.toSorted((one, other) => linesWith(other.perLine) - linesWith(one.perLine));
  return most && linesWith(most.perLine) > 0 ? most.separator : ',';
}
