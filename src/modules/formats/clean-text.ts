// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be in a file's metadata
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/gu;

/** Removes the characters that XML 1.0 (section 2.2) does not allow, because XMP is XML, and normalises line ends to line feeds. */
export const cleanText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(FORBIDDEN, '').trim();

/** Cuts a text to `limit` UTF-8 bytes without splitting a code point; combining accents and joined emoji may lose their second part. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes.toString();
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Whether a byte continues a character: 10xxxxxx (RFC 3629 section 3). */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
