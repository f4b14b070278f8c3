import { type FileHandle, open } from 'node:fs/promises';
import { readAt } from './is-zip-bomb.js';

const COMPOUND = 'd0cf11e0a1b11ae1';
const HEADER_BYTES = 512;
/** The sizes of a sector as powers of two ([MS-CFB] 2.2). */
const SECTOR_SHIFTS = [9, 12];
const SMALL_SECTOR_BYTES = 64;
/** The header lists the first sectors of the allocation table ([MS-CFB] 2.2). */
const LISTED = { offset: 76, count: 109 };
const ENTRY_BYTES = 4;
const DIRECTORY_ENTRY_BYTES = 128;
/** Larger numbers of sectors are marks such as the end of a chain. */
const MAX_SECTOR = 0xff_ff_ff_fa;
/** LibreOffice reads no compound file of more than 2 GiB. */
const MAX_SECTORS = 2 ** 22;
/** A document has a dozen streams, and some for each embedded object. */
const MAX_DIRECTORY_SECTORS = 10_000;

/** The header of a document ([MS-DOC] 2.5.2, 2.5.6): its version, which stream has its tables, and where its properties are in that. */
const WORD = { signature: 0xa5_ec, flags: 0x0a, secondTable: 0x02_00, properties: 0x192, bytes: 0x19a } as const;
/** In the properties ([MS-DOC] 2.7.2): whether changes are shown on the screen (fRMView) and in print (fRMPrint). */
const SHOWN_CHANGES = { offset: 7, mask: 0x18 } as const;

/**
 * Switches off that a DOC or DOT shows its tracked changes, so that its PDF has the final text (contract section 14.1): LibreOffice then leaves out what
 * was deleted. Changes nothing in another file, or in one whose structure cannot be read.
 */
export async function hideDeletions(name: string): Promise<void> {
  const file = await open(name, 'r+');
  try {
    const compound = await openCompound(file);
    const head = compound && (await readStream(compound, 'WordDocument', WORD.bytes));
    if (!compound || !head || head.length < WORD.bytes || head.readUInt16LE(0) !== WORD.signature) return;
    const tables = head.readUInt16LE(WORD.flags) & WORD.secondTable ? '1Table' : '0Table';
    const position = await positionIn(compound, tables, head.readUInt32LE(WORD.properties) + SHOWN_CHANGES.offset);
    const shown = position === null ? Buffer.alloc(0) : await readAt(file, position, 1);
    if (position !== null && shown.length === 1) await file.write(Buffer.from([shown.readUInt8() & ~SHOWN_CHANGES.mask]), 0, 1, position);
  } finally {
    await file.close();
  }
}

/** A compound file ([MS-CFB]): streams in chains of sectors, short ones in chains of small sectors in a stream of their own. */
interface Compound {
  readonly file: FileHandle;
  readonly sectorBytes: number;
  /** The sectors of the allocation table, in order. */
  readonly tables: readonly number[];
  /** Streams of fewer bytes consist of small sectors. */
  readonly minBytes: number;
  /** The first sectors of the directory and of the allocation table of the small sectors. */
  readonly directory: number;
  readonly smallTable: number;
}

interface Stream {
  readonly start: number;
  readonly size: number;
}

async function openCompound(file: FileHandle): Promise<Compound | null> {
  const header = await readAt(file, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('hex', 0, 8) !== COMPOUND) return null;
  const shift = header.readUInt16LE(30);
  if (!SECTOR_SHIFTS.includes(shift)) return null;
  const sectorBytes = 2 ** shift;
  const tables = numbersOf(header.subarray(LISTED.offset, LISTED.offset + ENTRY_BYTES * LISTED.count));
  const seen = new Set<number>();
  for (let next = header.readUInt32LE(68); next < MAX_SECTOR && !seen.has(next) && tables.length < MAX_SECTORS; ) {
    seen.add(next);
    const list = numbersOf(await readAt(file, (next + 1) * sectorBytes, sectorBytes));
    next = list.pop() ?? MAX_SECTOR;
    tables.push(...list);
  }
  const [directory, minBytes, smallTable] = [48, 56, 60].map((at) => header.readUInt32LE(at)) as [number, number, number];
  return { file, sectorBytes, tables: tables.filter((sector) => sector < MAX_SECTOR), minBytes, directory, smallTable };
}

const numbersOf = (bytes: Buffer): number[] =>
  Array.from({ length: Math.floor(bytes.length / ENTRY_BYTES) }, (_, index) => bytes.readUInt32LE(ENTRY_BYTES * index));

const offsetOf = ({ sectorBytes }: Compound, sector: number): number => (sector + 1) * sectorBytes;

/** The sector that follows `steps` sectors after another one in its chain; null: the chain ends before. */
async function follow(start: number, steps: number, next: (sector: number) => Promise<number | null>): Promise<number | null> {
  let sector: number | null = start;
  if (steps > MAX_SECTORS) return null;
  for (let step = 0; step < steps && sector !== null; step += 1) sector = await next(sector);
  return sector !== null && sector < MAX_SECTOR ? sector : null;
}

/** Reads the allocation table sector by sector; a chain mostly stays in one of its sectors. */
function chainsOf(compound: Compound): (sector: number) => Promise<number | null> {
  const { sectorBytes, tables, file } = compound;
  const perSector = sectorBytes / ENTRY_BYTES;
  let [kept, entries]: [number | undefined, Buffer] = [undefined, Buffer.alloc(0)];
  return async (sector) => {
    const table = tables[Math.floor(sector / perSector)];
    if (table === undefined) return null;
    if (table !== kept) [kept, entries] = [table, await readAt(file, offsetOf(compound, table), sectorBytes)];
    const at = ENTRY_BYTES * (sector % perSector);
    return at + ENTRY_BYTES <= entries.length ? entries.readUInt32LE(at) : null;
  };
}

/** Where a byte of a chain of sectors is in the file; null: the chain ends before. */
async function positionInChain(compound: Compound, start: number, offset: number): Promise<number | null> {
  const sector = await follow(start, Math.floor(offset / compound.sectorBytes), chainsOf(compound));
  return sector === null ? null : offsetOf(compound, sector) + (offset % compound.sectorBytes);
}

/** Where a byte of a stream is in the file; null: there is no such byte. */
async function positionIn(compound: Compound, name: string, offset: number): Promise<number | null> {
  const { root, found } = await findStream(compound, name);
  if (!root || !found || offset >= found.size) return null;
  if (found.size >= compound.minBytes) return await positionInChain(compound, found.start, offset);
  const small = await follow(found.start, Math.floor(offset / SMALL_SECTOR_BYTES), async (sector) => {
    const at = await positionInChain(compound, compound.smallTable, ENTRY_BYTES * sector);
    const entry = at === null ? null : await readAt(compound.file, at, ENTRY_BYTES);
    return entry?.length === ENTRY_BYTES ? entry.readUInt32LE(0) : null;
  });
  if (small === null) return null;
  return await positionInChain(compound, root.start, SMALL_SECTOR_BYTES * small + (offset % SMALL_SECTOR_BYTES));
}

/** The first bytes of a stream, as many as there are. */
async function readStream(compound: Compound, name: string, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < length; at += SMALL_SECTOR_BYTES) {
    const position = await positionIn(compound, name, at);
    if (position === null) break;
    pieces.push(await readAt(compound.file, position, Math.min(SMALL_SECTOR_BYTES, length - at)));
  }
  return Buffer.concat(pieces);
}

/** Finds a stream by its name; `root`: the stream that contains the small sectors. */
async function findStream(compound: Compound, name: string): Promise<{ readonly root: Stream | null; readonly found: Stream | null }> {
  const [next, wanted] = [chainsOf(compound), Buffer.from(`${name}\0`, 'utf16le')];
  let [root, found]: [Stream | null, Stream | null] = [null, null];
  let sector: number | null = compound.directory;
  for (let sectors = 0; sector !== null && sector < MAX_SECTOR && !found && sectors < MAX_DIRECTORY_SECTORS; sectors += 1) {
    const entries = await readAt(compound.file, offsetOf(compound, sector), compound.sectorBytes);
    for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= entries.length; at += DIRECTORY_ENTRY_BYTES) {
      const stream = { start: entries.readUInt32LE(at + 116), size: entries.readUInt32LE(at + 120) };
      root ??= stream; // the first entry
      if (entries.subarray(at, at + wanted.length).equals(wanted)) found = stream;
    }
    sector = await next(sector);
  }
  return { root, found };
}
