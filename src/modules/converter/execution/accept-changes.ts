import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import { hideDeletions } from './hide-deletions.js';
import { readArchiveEnd, readAt } from './is-zip-bomb.js';

const [inflate, deflate] = [promisify(inflateRaw), promisify(deflateRaw)];

/** The XML of a book has some ten million characters; memory holds it several times. */
const MAX_PART_BYTES = 67_108_864;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/** How a vocabulary stores changes that have not been accepted or rejected. */
interface ChangeMarks {
  /** The namespace of its elements. */
  readonly namespace: RegExp;
  /** Elements with what was deleted or replaced. */
  readonly removed: ReadonlySet<string>;
  /** Elements around what was inserted. */
  readonly unwrapped: ReadonlySet<string>;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));
const WORD: ChangeMarks = {
  namespace:
    /xmlns(?::([\w.-]+))?="http:\/\/(?:schemas\.openxmlformats\.org\/wordprocessingml\/2006\/main|purl\.oclc\.org\/ooxml\/wordprocessingml\/main)"/,
  removed: names(`del moveFrom rPrChange pPrChange sectPrChange tblPrChange tblPrExChange tblGridChange trPrChange tcPrChange
    numberingChange`),
  unwrapped: names('ins moveTo'),
};
const OPEN_DOCUMENT: ChangeMarks = {
  namespace: /xmlns:([\w.-]+)="urn:oasis:names:tc:opendocument:xmlns:text:1\.0"/,
  removed: names('tracked-changes'),
  unwrapped: names('change change-start change-end'),
};
const MARKS: ReadonlyMap<string, ChangeMarks> = new Map([
  ...['docx', 'dotx'].map((extension) => [extension, WORD] as const),
  ...['odt', 'ott'].map((extension) => [extension, OPEN_DOCUMENT] as const),
]);

/** Documents of Word up to 2003, in which LibreOffice itself hides what was deleted. */
const COMPOUND = new Set(['doc', 'dot']);

/**
 * Accepts the tracked changes of a document, so that its PDF has the final text (contract section 14.1): LibreOffice prints what was deleted, too.
 * Parts that change are appended to the archive, and its list names these. False: a part is too large.
 */
export async function acceptChanges(name: string, extension: string): Promise<boolean> {
  const marks = MARKS.get(extension);
  if (COMPOUND.has(extension)) await hideDeletions(name);
  if (!marks) return true;
  const file = await open(name, 'r+');
  try {
    const { size } = await file.stat();
    const end = await readArchiveEnd(file, size);
    if (end === null || end.offset + end.length > size) return true;
    const list = await readAt(file, end.offset, end.length);
    let position = size;
    for (const entry of entriesOf(list)) {
      if (!/\.xml$/i.test(entry.toString('latin1', ENTRY_BYTES, ENTRY_BYTES + entry.readUInt16LE(28)))) continue;
      if (entry.readUInt32LE(24) > MAX_PART_BYTES) return false;
      const xml = await readPart(file, entry);
      const accepted = xml && (await finalText(xml.toString('latin1'), marks));
      if (xml && accepted !== null && accepted.length !== xml.length) position += await writePart(file, position, { entry, xml: accepted });
    }
    if (position > size) await writeList(file, position, list);
    return true;
  } finally {
    await file.close();
  }
}

/** The entries of the list of an archive, as parts of it. */
function* entriesOf(list: Buffer): Generator<Buffer> {
  for (let at = 0; at + ENTRY_BYTES <= list.length && list.toString('latin1', at, at + 4) === 'PK\x01\x02'; ) {
    const length = ENTRY_BYTES + list.readUInt16LE(at + 28) + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
    if (at + length > list.length) return;
    yield list.subarray(at, at + length);
    at += length;
  }
}

/** Reads a part; null: it is not there, or not packed as documents pack their parts. */
async function readPart(file: FileHandle, entry: Buffer): Promise<Buffer | null> {
  const offset = entry.readUInt32LE(42);
  const local = await readAt(file, offset, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES) return null;
  const packed = await readAt(file, offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28), entry.readUInt32LE(20));
  const method = entry.readUInt16LE(10);
  if (method !== DEFLATED) return method === 0 ? packed : null;
  return await inflate(packed, { maxOutputLength: MAX_PART_BYTES }).catch(() => null);
}

/** Appends a part, changes its entry, and returns the number of bytes that were written. */
async function writePart(file: FileHandle, position: number, { entry, xml }: { entry: Buffer; xml: string }): Promise<number> {
  const content = Buffer.from(xml, 'latin1');
  const packed = await deflate(content);
  entry.writeUInt16LE(entry.readUInt16LE(8) & ~0x8, 8); // the sizes precede the part
  entry.writeUInt16LE(DEFLATED, 10);
  entry.writeUInt32LE(crc32(content), 16);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt32LE(position, 42);
  const name = entry.subarray(ENTRY_BYTES, ENTRY_BYTES + entry.readUInt16LE(28));
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), entry.subarray(6, 30), Buffer.alloc(2), name, packed]);
  await file.write(local, 0, local.length, position);
  return local.length;
}

async function writeList(file: FileHandle, position: number, list: Buffer): Promise<void> {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const count = [...entriesOf(list)].length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(position, 16);
  const bytes = Buffer.concat([list, end]);
  await file.write(bytes, 0, bytes.length, position);
}

/** A tag: whether it ends an element, its name, and its attributes with the slash of an empty element. No alternative scans past the next `<`. */
const TAG = /<(\/?)([\w.:-]+)((?:[\s/](?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)>/g;
/** Characters after which other work of the process has its turn. */
const TURN = 1_048_576;

/** Returns XML with all changes accepted. */
async function finalText(xml: string, marks: ChangeMarks): Promise<string> {
  const found = marks.namespace.exec(xml);
  if (!found) return xml;
  const writer = new FinalTextWriter(marks, found[1] === undefined ? '' : `${found[1]}:`);
  let [at, turn] = [0, TURN];
  for (const tag of xml.matchAll(TAG)) {
    writer.text(xml.slice(at, tag.index));
    const [whole, slash = '', name = '', rest = ''] = tag;
    writer.tag({ whole, name, isEnd: slash === '/', isEmpty: rest.endsWith('/') });
    at = tag.index + whole.length;
    if (at > turn) {
      turn = at + TURN;
      await setImmediate();
    }
  }
  writer.text(xml.slice(at));
  return writer.end();
}

interface Tag {
  readonly whole: string;
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
}

/** What was written of the part, or of a row of a table. */
interface Piece {
  written: string;
  isDeleted: boolean;
}

/** Writes a part without its changes, tag by tag. */
class FinalTextWriter {
  private readonly pieces: Piece[] = [{ written: '', isDeleted: false }];
  /** The element that is left out, and how many of its name are open. */
  private skipped: { readonly name: string; open: number } | null = null;
  /** The properties that are being read: in those of a paragraph a deletion is that of its end, in those of a row that of the row. */
  private properties: 'pPr' | 'trPr' | null = null;
  private isEndDeleted = false;
  /** The end of a paragraph that was deleted: if another paragraph follows, it continues this one. */
  private heldEnd: string | null = null;
  /** Whether the paragraph continues another one, so that its own properties are left out. */
  private isContinued = false;

  constructor(
    private readonly marks: ChangeMarks,
    private readonly prefix: string,
  ) {}

  text(text: string): void {
    if (this.skipped === null && text !== '') this.write(text);
  }

  tag({ whole, name, isEnd, isEmpty }: Tag): void {
    const local = name.startsWith(this.prefix) ? name.slice(this.prefix.length) : '';
    if (local === 'del' && !isEnd) this.markDeleted();
    if (this.skipped) return this.skip(name, isEnd, isEmpty);
    if (this.marks.removed.has(local) || (this.isContinued && local === 'pPr')) {
      if (!isEnd && !isEmpty) this.skipped = { name, open: 1 };
      if (local === 'pPr') this.properties = isEmpty ? null : local;
      this.isContinued = false;
      return;
    }
    if (this.marks.unwrapped.has(local)) return;
    this.isContinued = false;
    if (local === 'pPr' || local === 'trPr') this.properties = isEnd || isEmpty ? null : local;
    if (local === 'p' && !isEnd && this.heldEnd !== null && !isEmpty) return this.continueParagraph();
    if (local === 'tr' && !isEnd && !isEmpty) this.pieces.push({ written: '', isDeleted: false });
    if (local === 'p' && isEnd && this.isEndDeleted) this.holdEnd(whole);
    else this.write(whole);
    if (local === 'tr' && isEnd) this.endRow();
  }

  end(): string {
    this.write('');
    while (this.pieces.length > 1) this.endRow();
    return this.pieces[0]?.written ?? '';
  }

  private markDeleted(): void {
    const row = this.pieces.at(-1);
    if (this.properties === 'pPr') this.isEndDeleted = true;
    if (this.properties === 'trPr' && row) row.isDeleted = true;
  }

  private skip(name: string, isEnd: boolean, isEmpty: boolean): void {
    if (name !== this.skipped?.name || isEmpty) return;
    this.skipped.open += isEnd ? -1 : 1;
    if (this.skipped.open > 0) return;
    this.skipped = null;
    if (name === `${this.prefix}pPr`) this.properties = null;
  }

  private holdEnd(end: string): void {
    this.write('');
    this.heldEnd = end;
    this.isEndDeleted = false;
  }

  private continueParagraph(): void {
    this.heldEnd = null;
    this.isContinued = true;
  }

  private write(text: string): void {
    const piece = this.pieces.at(-1);
    if (piece) piece.written += (this.heldEnd ?? '') + text;
    this.heldEnd = null;
  }

  private endRow(): void {
    const row = this.pieces.length > 1 ? this.pieces.pop() : undefined;
    if (row && !row.isDeleted) this.write(row.written);
  }
}
