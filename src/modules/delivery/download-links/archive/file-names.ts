/** The longest name in bytes of UTF-8: file systems allow 255, and programs that unpack add to it. */
const MAX_BYTES = 200;
/** Room for the number of a name that is taken, ` (100000)`. */
const NUMBER_BYTES = 9;
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
 * long, and unique without regard to case. Senders choose names, so each costs the same, whatever the others are.
 */
export class ArchiveNames {
  /** The names so far, without regard to case. */
  private readonly taken = new Set<string>();
  /** For each name before its number, without regard to case, the number to try next. */
  private readonly numbers = new Map<string, number>();

  /** The name of the next file. A name that is taken gets ` (2)` before its extension, then ` (3)`. */
  add(name: FileName): string {
    const { stem, ending } = safeParts(name);
    const plain = join(stem, ending);
    if (!this.taken.has(foldCase(plain))) return this.take(plain);
    const start = shorten(stem, MAX_BYTES - NUMBER_BYTES - Buffer.byteLength(ending));
    const key = foldCase(start + ending);
    for (let number = this.numbers.get(key) ?? 2; ; number += 1) {
      const numbered = `${start} (${number})${ending}`;
      if (this.taken.has(foldCase(numbered))) continue;
      this.numbers.set(key, number + 1);
      return this.take(numbered);
    }
  }

  private take(name: string): string {
    this.taken.add(foldCase(name));
    return name;
  }
}

export function safeFileName(name: FileName): string {
  const { stem, ending } = safeParts(name);
  return join(stem, ending);
}

/** The name without unsafe characters and reserved names, and its extension with the period; not shortened. */
function safeParts({ fileName, fileExtension }: FileName): { readonly stem: string; readonly ending: string } {
  const extension = clean(fileExtension);
  const isShort = extension !== '' && Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES;
  const ending = isShort ? `.${extension}` : '';
  const stem = clean(isShort || extension === '' ? fileName : `${fileName}.${fileExtension}`) || NAMELESS;
  return { stem: DEVICE.test(`${stem}${ending}`) ? `_${stem}` : stem, ending };
}

const join = (stem: string, ending: string): string => `${shorten(stem, MAX_BYTES - Buffer.byteLength(ending))}${ending}`;

const clean = (text: string): string => text.normalize('NFC').replace(UNSAFE, '_').replace(EDGES, '');

/** As many whole characters, as people count them, as have at most `maxBytes` bytes. */
function shorten(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let end = 0;
  let bytes = 0;
  // Characters are found in the part that can fit only: a unit of the text has at least one byte, and the last character may be cut.
  for (const { segment } of characters.segment(text.slice(0, maxBytes + 1))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    end += segment.length;
  }
  return text.slice(0, end).replace(EDGES, '') || NAMELESS;
}

/** Equal for names that a file system without regard to case takes for the same. */
const foldCase = (name: string): string => name.toUpperCase().toLowerCase().normalize('NFC');
