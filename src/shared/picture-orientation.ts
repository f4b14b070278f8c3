import { crc32 } from 'node:zlib';
import { type PictureFile, readFirstDirectory } from './tiff-directories.js';

const TAGS = { width: 0x0100, height: 0x0101, orientation: 0x0112 } as const;
/** Real animations have fewer pictures before their EXIF data. */
const MAX_CHUNKS = 1_000;
/** Real images have far fewer segments or chunks (comments, profiles, previews) before the picture. */
const MAX_SEGMENTS = 200;
/** Programs add the EXIF data of a PNG behind the picture; it is searched in this many bytes at the end. */
const TAIL_BYTES = 65_536;
/** Degrees by which a viewer rotates an image, by the value of the tag (TIFF 6.0, Orientation); the other values mirror it. */
const DEGREES: ReadonlyMap<number, number> = new Map([
  [3, 180],
  [4, 180],
  [5, 90],
  [6, 90],
  [7, 270],
  [8, 270],
]);

/** Finds the TIFF structure with the EXIF data of an image, by its type; null: the image has no EXIF data. The rotation of HEIC and AVIF is not in EXIF data. */
const FIND_EXIF: Readonly<Record<string, (file: PictureFile) => Promise<number | null>>> = {
  jpg: findInJpeg,
  png: findInPng,
  tif: async () => 0,
  webp: findInWebp,
};

/** Degrees by which a JPEG, PNG, TIFF or WebP is rotated for display, which ffprobe does not report for images; 0: the file does not say. */
export async function readRotation(file: PictureFile, type: string): Promise<number> {
  const start = (await FIND_EXIF[type]?.(file)) ?? null;
  if (start === null) return 0;
  const directory = await readFirstDirectory(file, start);
  return DEGREES.get(directory?.tags.get(TAGS.orientation)?.numbers[0] ?? 1) ?? 0;
}

/** The size of the first image of a TIFF in pixels, before the rotation; null: it does not say. */
export async function readTiffSize(file: PictureFile): Promise<{ readonly width: number; readonly height: number } | null> {
  const directory = await readFirstDirectory(file, 0);
  const [width, height] = [TAGS.width, TAGS.height].map((tag) => directory?.tags.get(tag)?.numbers[0]);
  return width && height ? { width, height } : null;
}

/** The position of the EXIF data of a JPEG: one of the segments before the picture. */
async function findInJpeg({ read }: PictureFile): Promise<number | null> {
  let at = 2;
  for (let segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const head = await read(at, 10);
    if (head?.[0] !== 0xff) return null;
    const marker = head[1];
    if (marker === 0xe1 && head.toString('latin1', 4, 10) === 'Exif\0\0') return at + 10;
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + head.readUInt16BE(2);
  }
  return null;
}

/** The position of the EXIF data of a PNG. */
async function findInPng(file: PictureFile): Promise<number | null> {
  const chunk = await findExifChunk(file);
  return chunk && chunk.start + 8;
}

/** A chunk of a PNG, with its length, type and checksum. */
export interface ExifChunk {
  readonly start: number;
  readonly bytes: number;
  /** Whether it is behind the picture, where libvips does not see it. */
  readonly isBehind: boolean;
}

/** Finds the EXIF data of a PNG (third edition, section 11.3.4.5): a chunk before the picture, or near the end of the file; null: it has none. */
export async function findExifChunk({ read, size }: PictureFile): Promise<ExifChunk | null> {
  let at = 8;
  for (let chunks = 0; chunks < MAX_SEGMENTS; chunks += 1) {
    const head = await read(at, 8);
    const type = head?.toString('latin1', 4, 8);
    if (!head || type === 'IEND') return null;
    if (type === 'eXIf') return { start: at, bytes: 12 + head.readUInt32BE(0), isBehind: false };
    if (type === 'IDAT') break;
    at += 12 + head.readUInt32BE(0);
  }
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await read(start, size - start);
  const found = tail?.lastIndexOf('eXIf', undefined, 'latin1') ?? -1;
  if (!tail || found < 4 || !isChunk(tail, found)) return null;
  return { start: start + found - 4, bytes: 12 + tail.readUInt32BE(found - 4), isBehind: true };
}

/** Whether a chunk of a PNG begins here with its type: its checksum is that of its content. */
function isChunk(bytes: Buffer, at: number): boolean {
  const end = at + 4 + bytes.readUInt32BE(at - 4);
  return end + 4 <= bytes.length && crc32(bytes.subarray(at, end)) === bytes.readUInt32BE(end);
}

/** The position of the EXIF data of a WebP (RFC 9649 section 2.7): one of the chunks, of which animations have many before it. */
async function findInWebp({ read }: PictureFile): Promise<number | null> {
  const extended = await read(12, 9);
  if (extended?.toString('latin1', 0, 4) !== 'VP8X' || ((extended[8] ?? 0) & 0x08) === 0) return null;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const head = await read(at, 14);
    if (!head) return null;
    // Some programs write the marker of JPEG before the data.
    if (head.toString('latin1', 0, 4) === 'EXIF') return at + 8 + (head.toString('latin1', 8, 14) === 'Exif\0\0' ? 6 : 0);
    const length = head.readUInt32LE(4);
    at += 8 + length + (length % 2);
  }
  return null;
}
