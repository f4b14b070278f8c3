// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be in a file's metadata
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/gu;

/** A text without what XML 1.0 (section 2.2) does not allow, as XMP is XML; its lines end with line feeds. */
export const cleanText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(FORBIDDEN, '').trim();

/** As much of a text as fits into so many bytes of UTF-8, without half a character; accents and joined emoji may lose their second part. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes.toString();
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Whether a byte is inside of a character: 10xxxxxx (RFC 3629 section 3). */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
