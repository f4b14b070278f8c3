import { isUtf8 } from 'node:buffer';
import { createDecoder } from '../../../shared/create-decoder.js';
import { countUtf8, detectEncoding, detectUtf16, findEncoding } from '../../../shared/detect-encoding.js';

/** Bytes decoded at a time, so that memory holds the text and not several copies of it. */
const PIECE_BYTES = 65_536;

/** The text of a file. */
export interface DecodedText {
  /** With `\n` at the end of lines and without control characters. */
  readonly text: string;
  /** The first line whose encoding cannot be told, from 1; null: all lines could be read, but for single bytes, which are U+FFFD. */
  readonly unreadableLine: number | null;
}

/**
 * Decodes a file of unknown encoding. A byte order mark is respected. WebVTT is UTF-8 (WebVTT section 4.1) unless most of it cannot be read so; the
 * encoding of other text that is neither UTF-16 nor UTF-8 is detected. `language`: the tag of its language, which excludes encodings; null: unknown.
 */
export function decodeText(content: Buffer, language: string | null = null): DecodedText {
  const known = detectUtf16(content) ?? (isUtf8(content) ? 'utf-8' : null);
  const encoding = known ?? (isWebVtt(content) ? findWebVttEncoding(content) : findEncoding(content, spokenOf(language)));
  if (encoding !== null) return { text: decodePieces(content, encoding), unreadableLine: null };
  return { text: decodePieces(content, detectEncoding(content)), unreadableLine: firstLineBeyondAscii(content) };
}

const isWebVtt = (content: Buffer): boolean => /^(?:\xef\xbb\xbf)?WEBVTT/.test(content.toString('latin1', 0, 9));

/** UTF-8, unless more letters than not would be unreadable: then a program wrote another encoding, and viewers would see no words. */
function findWebVttEncoding(content: Buffer): 'utf-8' | null {
  const { right, wrong } = countUtf8(content);
  let letters = -'WEBVTT'.length;
  for (const byte of content) if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) letters += 1;
  return wrong <= right + letters ? 'utf-8' : null;
}

/** The tags `und` and `mul` say nothing about a language. */
const spokenOf = (language: string | null): string | null => (/^(?:und|mul|zxx|mis)(?:-|$)/i.test(language ?? 'und') ? null : language);

function firstLineBeyondAscii(content: Buffer): number {
  let line = 1;
  for (const byte of content) {
    if (byte >= 0x80) break;
    if (byte === 0x0a) line += 1;
  }
  return line;
}

function decodePieces(content: Buffer, encoding: string): string {
  const decode = createDecoder(encoding);
  const clean = cleaner();
  const pieces: string[] = [];
  for (let at = 0; at < content.length; at += PIECE_BYTES) pieces.push(clean(decode(content.subarray(at, at + PIECE_BYTES))));
  pieces.push(clean(decode()));
  return pieces.join('');
}

/** Returns a function that cleans the pieces of a text. A `\r` at the end of a piece and a `\n` at the start of the next form one line end. */
function cleaner(): (piece: string) => string {
  let afterReturn = false;
  return (piece) => {
    const rest = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') afterReturn = piece.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n').replace(/\0/g, '\ufffd').replace(CONTROL, '');
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters have no meaning in a text
const CONTROL = /[\x01-\x08\x0b-\x1f\x7f]/g;
