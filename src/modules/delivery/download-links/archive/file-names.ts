/** The longest name in bytes of UTF-8: file systems allow 255, and programs that unpack add to it. */
const MAX_BYTES = 200;
/** Longer extensions are part of the name. */
const MAX_EXTENSION_BYTES = 40;

/**
 * Reserved on Windows, separators of paths, control characters, unpaired surrogates, line separators, and characters that change the writing
 * direction, which could show `exe.gpj` as `jpg.exe`.
 */
const UNSAFE = /[<>:"/\\|?*\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;
/** A name with one of these at its beginning is hidden, and Windows removes them at the end. */
const EDGES = /^[.\s]+|[.\s]+$/gu;
/** Devices of Windows, whatever follows the first period. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)\s*(?:\.|$)/i;
const NAMELESS = 'file';

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A file name without its extension, and the extension without the period; empty: none. */
export interface FileName {
  readonly fileName: string;
  readonly fileExtension: string;
}

/**
 * The names of the files in an archive, safe on Windows, macOS and Linux: without path, unsafe characters and reserved names, in NFC, at most 200 bytes
 * long, and unique without regard to case.
 */
export class ArchiveNames {
  /** For each name that is taken, without regard to case, the number to try next. */
  private readonly taken = new Map<string, number>();

  /** The name of the next file. A name that is taken gets ` (2)` before its extension, then ` (3)`. */
  add(name: FileName): string {
    const plain = safeFileName(name);
    const first = this.taken.get(foldCase(plain));
    if (first === undefined) return this.take(plain, 2);
    for (let number = first; ; number += 1) {
      const numbered = safeFileName(name, ` (${number})`);
      if (this.taken.has(foldCase(numbered))) continue;
      this.taken.set(foldCase(plain), number + 1);
      return this.take(numbered, 2);
    }
  }

  private take(name: string, next: number): string {
    this.taken.set(foldCase(name), next);
    return name;
  }
}

/** A safe file name, with `mark` before its extension. */
export function safeFileName({ fileName, fileExtension }: FileName, mark = ''): string {
  const extension = clean(fileExtension);
  const isShort = extension !== '' && Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES;
  const ending = isShort ? `.${extension}` : '';
  const stem = clean(isShort || extension === '' ? fileName : `${fileName}.${fileExtension}`) || NAMELESS;
  const safe = DEVICE.test(`${stem}${mark}${ending}`) ? `_${stem}` : stem;
  return `${shorten(safe, MAX_BYTES - Buffer.byteLength(mark + ending))}${mark}${ending}`;
}

const clean = (text: string): string => text.normalize('NFC').replace(UNSAFE, '_').replace(EDGES, '');

/** As many whole characters, as people count them, as have at most `maxBytes` bytes. */
function shorten(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let end = 0;
  let bytes = 0;
  for (const { segment } of characters.segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    end += segment.length;
  }
  return text.slice(0, end).replace(EDGES, '') || NAMELESS;
}

/** Equal for names that a file system without regard to case takes for the same. */
const foldCase = (name: string): string => name.toUpperCase().toLowerCase().normalize('NFC');
