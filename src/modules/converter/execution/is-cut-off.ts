import { type FileHandle, open } from 'node:fs/promises';
import { readArchiveEnd, readAt } from './is-zip-bomb.js';

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The header of a compound file, which lists the first sectors of its allocation table ([MS-CFB] 2.2). */
const HEADER_BYTES = 512;
const LISTED_TABLES = { offset: 76, count: 109 };
/** The sizes of a sector as powers of two ([MS-CFB] 2.2). */
const SECTOR_SHIFTS = [9, 12];
/** Bytes of an entry of the allocation table, and the entry of a sector without content ([MS-CFB] 2.1). */
const ENTRY_BYTES = 4;
const FREE = 0xff_ff_ff_ff;

/**
 * Whether the end of an office document is missing: of a ZIP archive its end record, of a compound file (DOC, XLS, PPT) a sector with content. False for
 * other files. LibreOffice takes such a compound file for a text.
 */
export async function isCutOff(name: string): Promise<boolean> {
  const file = await open(name);
  try {
    const { size } = await file.stat();
    const head = await readAt(file, 0, HEADER_BYTES);
    if (head.subarray(0, ZIP.length).equals(ZIP)) return (await readArchiveEnd(file, size)) === null;
    return head.subarray(0, COMPOUND.length).equals(COMPOUND) && size <= (await lastContentOf(file, head));
  } finally {
    await file.close();
  }
}

/** The offset in bytes of the last sector that must exist, as far as it can be read; Infinity: the header is not whole. */
async function lastContentOf(file: FileHandle, header: Buffer): Promise<number> {
  if (header.length < HEADER_BYTES) return Number.POSITIVE_INFINITY;
  const shift = header.readUInt16LE(30);
  if (!SECTOR_SHIFTS.includes(shift)) return 0; // another version: LibreOffice knows whether it can be read
  const sectorBytes = 2 ** shift;
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes;
  const [tables, directory] = [header.readUInt32LE(44), offsetOf(header.readUInt32LE(48))];
  // All tables but the last one are full, so a file has more sectors than these describe.
  const described = Math.max(0, tables - 1) * (sectorBytes / ENTRY_BYTES);
  if (tables === 0 || tables > LISTED_TABLES.count) return Math.max(directory, offsetOf(described));
  const table = offsetOf(header.readUInt32LE(LISTED_TABLES.offset + ENTRY_BYTES * (tables - 1)));
  const entries = await readAt(file, table, sectorBytes);
  return Math.max(directory, table, offsetOf(described + lastUsed(entries)));
}

/** The index of the last entry of an allocation table whose sector has content; -1: no such entry. */
function lastUsed(table: Buffer): number {
  for (let index = Math.floor(table.length / ENTRY_BYTES) - 1; index >= 0; index -= 1)
    if (table.readUInt32LE(index * ENTRY_BYTES) !== FREE) return index;
  return -1;
}
