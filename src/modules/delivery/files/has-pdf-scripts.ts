import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

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
/** The overlap with the preceding text, so that no match is missed between two pieces; dictionaries of streams are shorter. */
const OVERLAP_CHARACTERS = 4_096;
/** The overlap within a stream, longer than its end marker and than an action. */
const KEPT_OF_STREAM = 256;
/** The maximum size of an object stream; writers put a few hundred objects into one. */
const MAX_COMPRESSED_BYTES = 16_777_216;
const MAX_OBJECTS_BYTES = 67_108_864;
/** The number of characters that are scanned at a time, so that other requests are not delayed. */
const SLICE_CHARACTERS = 1_048_576;

/**
 * Whether a PDF contains scripts, as far as its objects show, including compressed ones. Objects that cannot be read (an encrypted or unusual object
 * stream) count as scripts. Streams of pages, pictures and fonts cannot contain any and are skipped.
 */
export async function hasPdfScripts(pieces: AsyncIterable<Buffer>): Promise<boolean> {
  const scanner = new PdfScanner();
  for await (const piece of pieces) if (await scanner.scan(piece.toString('latin1'))) return true;
  return false;
}

class PdfScanner {
  private text = '';
  /** Null: between streams; otherwise the data so far of an object stream, or '' for a stream that is skipped. */
  private stream: { objects: boolean; data: string } | null = null;

  /** Scans the next piece; true: a script was found. */
  async scan(piece: string): Promise<boolean> {
    let rest = this.text + piece;
    for (;;) {
      if (this.stream === null) {
        const start = STREAM.exec(rest);
        if (!start) break;
        const before = rest.slice(0, start.index);
        if (containsScript(before)) return true;
        const dictionary = decodeNames(before.slice(Math.max(0, before.lastIndexOf(' obj'))));
        const objects = dictionary.includes('/ObjStm');
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
      if (this.stream.objects && (await objectsContainScript(this.stream.data))) return true;
      this.stream = null;
    }
    if (this.stream === null && containsScript(rest)) return true;
    this.text = this.stream === null ? rest.slice(-OVERLAP_CHARACTERS) : rest;
    return false;
  }
}

/** Whether a stream is compressed without a predictor, as the object streams of all known writers are. */
const isPlainlyCompressed = (dictionary: string): boolean =>
  !/\/(?:DecodeParms|Crypt)/.test(dictionary) &&
  (/\/Filter\s*\[?\s*\/FlateDecode\s*(?:\]|\/|>>)/.test(dictionary) || !dictionary.includes('/Filter'));

async function objectsContainScript(data: string): Promise<boolean> {
  const bytes = Buffer.from(data, 'latin1');
  const objects = await promisify(inflate)(bytes, { maxOutputLength: MAX_OBJECTS_BYTES }).catch(() => null);
  if (objects === null) return true;
  for (let at = 0; at < objects.length; at += SLICE_CHARACTERS - OVERLAP_CHARACTERS) {
    if (containsScript(objects.toString('latin1', at, at + SLICE_CHARACTERS))) return true;
    await setImmediate();
  }
  return false;
}

const containsScript = (text: string): boolean => SCRIPTS.test(decodeNames(text));

/** Decodes the characters of names that are written as numbers (section 7.3.5). */
const decodeNames = (text: string): string =>
  text.includes('#') ? text.replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text;
