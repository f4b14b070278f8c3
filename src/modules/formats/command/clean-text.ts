// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be in a file's metadata
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/gu;

/** A text without what XML 1.0 (section 2.2) does not allow, as XMP is XML; its lines end with line feeds. */
export const cleanText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(FORBIDDEN, '').trim();
