import { isUtf8 } from 'node:buffer';
import { createDecoder, detectEncoding, detectUtf16 } from '../../../shared/detect-encoding.js';

/** Bytes decoded at a time, so that memory holds the text and not several copies of it. */
const PIECE_BYTES = 65_536;

/**
 * Decodes a file of unknown encoding to text with `\n` at the end of lines and without control characters. A byte order mark is respected;
 * without one, the encoding of text that is neither UTF-16 nor UTF-8 is detected. `language`: the tag of its language, which helps; null: unknown.
 */
export function decodeText(content: Buffer, language: string | null = null): string {
  return decodePieces(content, detectUtf16(content) ?? (isUtf8(content) ? 'utf-8' : detectEncoding(content, language)));
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
