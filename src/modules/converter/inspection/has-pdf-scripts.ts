import { inflateSync } from 'node:zlib';

/** Actions and forms with scripts (ISO 32000-2, sections 12.6.4.17 and 12.7.8). */
const SCRIPTS = /\/(?:JavaScript|JS|XFA)(?=[^\w.-])/;
/**
 * A script action, which no picture contains by chance. It is also searched for in streams, because text that only looks like the start of a stream
 * could hide what follows.
 */
const ACTION = /\/S\s{0,64}\/JavaScript(?=[^\w.-])/;
/** Where the data of a stream begins. */
const STREAM = /\bstream\r?\n/;
const STREAM_END = 'endstream';
/**
 * The overlap with the preceding text, so that no match is missed between two pieces, and the longest dictionary of a stream; those of known writers
 * have a few hundred characters.
 */
const OVERLAP_CHARACTERS = 4_096;
/** The overlap within a stream, longer than its end marker and than an action. */
const KEPT_OF_STREAM = 256;
/** The maximum size of an object stream; writers put a few hundred objects into one. */
const MAX_COMPRESSED_BYTES = 16_777_216;
/** The maximum size of all object streams of a file together when they are inflated: a second of work. A book of 1,000 pages has a tenth of it. */
const MAX_INFLATED_BYTES = 134_217_728;
/** The number of inflated characters that are searched at a time, so that they are not copied into one long text. */
const SLICE_CHARACTERS = 1_048_576;

/**
 * Whether a PDF contains scripts, as far as its objects show, including compressed ones. What cannot be decided counts as scripts: an encrypted or
 * unusual object stream, a dictionary of more than 4,096 characters before a stream, more than 128 MiB of compressed objects. Streams of pages,
 * pictures and fonts cannot contain any and are skipped. Takes linear time.
 */
export async function hasPdfScripts(pieces: AsyncIterable<Buffer>): Promise<boolean> {
  const scanner = new PdfScanner();
  for await (const piece of pieces) if (scanner.scan(piece.toString('latin1'))) return true;
  return false;
}

class PdfScanner {
  private text = '';
  /** Null: between streams; otherwise the data so far of an object stream, or '' for a stream that is skipped. */
  private stream: { objects: boolean; data: string } | null = null;
  private inflatedBytes = 0;

  /** Scans the next piece; true: a script was found. */
  scan(piece: string): boolean {
    let rest = this.text + piece;
    for (;;) {
      if (this.stream === null) {
        const start = STREAM.exec(rest);
        if (!start) break;
        const before = rest.slice(0, start.index);
        const dictionary = readDictionary(before);
        if (containsScript(before) || dictionary === null) return true;
        const objects = /\/(?:ObjStm|First)\b/.test(dictionary);
        if (objects && !isPlainlyCompressed(dictionary)) return true;
        this.stream = { objects, data: '' };
        rest = rest.slice(start.index + start[0].length);
      }
      const end = rest.indexOf(STREAM_END);
      const cut = end === -1 ? Math.max(0, rest.length - KEPT_OF_STREAM) : end;
      if (this.stream.objects) this.stream.data += rest.slice(0, cut);
      if (this.stream.data.length > MAX_COMPRESSED_BYTES) return true;
      if (ACTION.test(decodeNames(rest.slice(0, end === -1 ? rest.length : end)))) return true;
      rest = rest.slice(end === -1 ? cut : end + STREAM_END.length);
      if (end === -1) break;
      if (this.stream.objects && this.objectsContainScript(this.stream.data)) return true;
      this.stream = null;
    }
    if (this.stream === null && containsScript(rest)) return true;
    this.text = this.stream === null ? rest.slice(-OVERLAP_CHARACTERS) : rest;
    return false;
  }

  private objectsContainScript(data: string): boolean {
    try {
      const objects = inflateSync(Buffer.from(data, 'latin1'), { maxOutputLength: MAX_INFLATED_BYTES - this.inflatedBytes });
      this.inflatedBytes += objects.length;
      for (let at = 0; at < objects.length; at += SLICE_CHARACTERS - OVERLAP_CHARACTERS) {
        if (containsScript(objects.toString('latin1', at, at + SLICE_CHARACTERS))) return true;
      }
      return false;
    } catch {
      return true; // damaged, encrypted, or too large
    }
  }
}

/** The dictionary before a stream, its names decoded and its blanks (section 7.2.3) shortened to one each; null: it is too long. */
function readDictionary(before: string): string | null {
  const end = before.slice(-OVERLAP_CHARACTERS);
  const start = end.lastIndexOf('obj');
  if (start === -1 && end.length === OVERLAP_CHARACTERS) return null;
  return decodeNames(end.slice(Math.max(0, start))).replace(/[\s\0]+/g, ' ');
}

/** Whether a stream is compressed without a predictor, as the object streams of all known writers are. */
const isPlainlyCompressed = (dictionary: string): boolean =>
  !/\/(?:DecodeParms|Crypt)/.test(dictionary) &&
  (/\/Filter ?\[? ?\/FlateDecode ?(?:\]|\/|>>)/.test(dictionary) || !dictionary.includes('/Filter'));

const containsScript = (text: string): boolean => SCRIPTS.test(decodeNames(text));

/** Decodes the characters of names that are written as numbers (section 7.3.5). */
const decodeNames = (text: string): string =>
  text.includes('#') ? text.replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text;
