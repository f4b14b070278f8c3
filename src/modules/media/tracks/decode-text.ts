/** Bytes decoded at a time, so that memory holds the text and not several copies of it. */
const PIECE_BYTES = 65_536;

/** The characters of the bytes 0x80 to 0x9f in windows-1252 (WHATWG Encoding); TextDecoder reads them differently in some versions of Node. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes a file of unknown encoding to text with `\n` at the end of lines and without control characters. A byte order mark is respected;
 * without one, text that is neither UTF-16 nor UTF-8 is read as windows-1252.
 */
export function decodeText(content: Buffer): string {
  const utf16 = utf16Of(content);
  if (utf16) return decodePieces(content, utf16) ?? '';
  return decodePieces(content, 'utf-8') ?? decodeWestern(content);
}

/** Detects UTF-16 by the mark, or by a zero byte in the first character, as in Latin letters and digits. */
function utf16Of([first, second]: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (second === undefined) return null;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : null;
}

/** Decodes the content; null: it is not UTF-8. Invalid sequences in UTF-16 are decoded to U+FFFD. */
function decodePieces(content: Buffer, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): string | null {
  const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
  const clean = cleaner();
  const pieces: string[] = [];
  try {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      pieces.push(clean(decoder.decode(content.subarray(at, at + PIECE_BYTES), { stream: true })));
    }
    pieces.push(clean(decoder.decode()));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return null;
    throw error;
  }
  return pieces.join('');
}

function decodeWestern(content: Buffer): string {
  const clean = cleaner();
  const pieces: string[] = [];
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    const latin1 = content.toString('latin1', at, at + PIECE_BYTES);
    pieces.push(clean(latin1.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80))));
  }
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
