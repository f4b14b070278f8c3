import type { FileHandle } from 'node:fs/promises';

const ORIENTATION = 0x0112;
/** A real image has a few dozen entries in a directory; more are not read. */
const MAX_ENTRIES = 1_000;
/** Real JPEGs have far fewer segments (comments, profiles, previews) before the picture. */
const MAX_SEGMENTS = 200;
/** Degrees by which a viewer rotates an image, by the value of the tag (TIFF 6.0, Orientation); the other values mirror it. */
const DEGREES: ReadonlyMap<number, number> = new Map([
  [3, 180],
  [4, 180],
  [5, 90],
  [6, 90],
  [7, 270],
  [8, 270],
]);

/** Degrees by which a JPEG or TIFF is rotated for display, which ffprobe does not report for images; 0: the file does not say. */
export async function readRotation(file: FileHandle, type: string): Promise<number> {
  const start = type === 'jpg' ? await findExif(file) : 0;
  return start === null ? 0 : (DEGREES.get((await readTag(file, start)) ?? 1) ?? 0);
}

/** The position of the EXIF data of a JPEG: one of the segments before the picture. */
async function findExif(file: FileHandle): Promise<number | null> {
  let at = 2;
  for (let segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const head = await read(file, at, 10);
    if (head?.[0] !== 0xff) return null;
    const marker = head[1];
    if (marker === 0xe1 && head.toString('latin1', 4, 10) === 'Exif\0\0') return at + 10;
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + head.readUInt16BE(2);
  }
  return null;
}

/** Reads the tag in the first directory of a TIFF structure. */
async function readTag(file: FileHandle, start: number): Promise<number | null> {
  const head = await read(file, start, 8);
  const isLittle = head?.toString('latin1', 0, 2) === 'II';
  if (!head || !(isLittle || head.toString('latin1', 0, 2) === 'MM')) return null;
  const uint16 = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const directory = start + (isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4));
  const count = await read(file, directory, 2);
  if (!count || uint16(count, 0) > MAX_ENTRIES) return null;
  const entries = await read(file, directory + 2, uint16(count, 0) * 12);
  if (!entries) return null;
  for (let at = 0; at < entries.length; at += 12) if (uint16(entries, at) === ORIENTATION) return uint16(entries, at + 8);
  return null;
}

/** Reads `length` bytes; null if the file ends before that. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return bytesRead === length ? buffer : null;
}
