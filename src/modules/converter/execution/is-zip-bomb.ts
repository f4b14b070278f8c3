import { type FileHandle, open } from 'node:fs/promises';

/** The size of the end record of an archive with the longest possible comment (APPNOTE 4.3.16). */
const MAX_END_BYTES = 22 + 65_535;
const END = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY = Buffer.from('PK\x01\x02', 'latin1');
const ENTRY_BYTES = 46;
/** The largest real documents list a few thousand parts. */
const MAX_LIST_BYTES = 16_777_216;

/** Spreadsheets and texts compress to about a twentieth of their size; a file that exceeds both limits was made to exhaust memory. */
const SUSPICIOUS = { bytes: 104_857_600, factor: 40 };

/** The central directory of an archive, in bytes. */
interface ArchiveList {
  readonly offset: number;
  readonly length: number;
}

/** Whether a ZIP archive declares far more content than its size; false for other files. */
export async function isZipBomb(name: string): Promise<boolean> {
  const file = await open(name);
  try {
    const { size } = await file.stat();
    const list = await readArchiveEnd(file, size);
    if (list === null) return false;
    if (list.length > MAX_LIST_BYTES) return true;
    const unpacked = sumSizes(await readAt(file, list.offset, list.length));
    return unpacked > SUSPICIOUS.bytes && unpacked > size * SUSPICIOUS.factor;
  } finally {
    await file.close();
  }
}

/** Reads where a ZIP archive of `size` bytes lists its entries; null: the file has no end record (APPNOTE 4.3.16). */
export async function readArchiveEnd(file: FileHandle, size: number): Promise<ArchiveList | null> {
  const tail = await readAt(file, Math.max(0, size - MAX_END_BYTES), MAX_END_BYTES);
  const end = tail.lastIndexOf(END);
  if (end === -1 || end + 20 > tail.length) return null;
  return { offset: tail.readUInt32LE(end + 16), length: tail.readUInt32LE(end + 12) };
}

/** Reads up to `length` bytes of a file. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The sum of the uncompressed sizes that the central directory declares, in bytes. */
function sumSizes(list: Buffer): number {
  let sum = 0;
  for (let at = 0; at + ENTRY_BYTES <= list.length && list.subarray(at, at + 4).equals(ENTRY); ) {
    sum += list.readUInt32LE(at + 24);
    at += ENTRY_BYTES + list.readUInt16LE(at + 28) + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
  }
  return sum;
}
