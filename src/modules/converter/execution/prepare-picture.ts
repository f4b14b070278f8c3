import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { detectImageType, isAnimatedPng, readImageHeader } from '../../../shared/picture-header.js';
import { findExifChunk } from '../../../shared/picture-orientation.js';
import { type PictureFile, readDirectories, readFirstDirectory, type TiffDirectory } from '../../../shared/tiff-directories.js';
import { pictureFileOf, readHead } from './read-picture-header.js';

/** The type of a raw photo without an embedded JPEG. */
export const RAW = 'raw';
/** Enough for the profile before the control chunk of an animated PNG, and for what precedes the size in an embedded JPEG. */
const HEAD_BYTES = 131_072;
/** The brands of sequences of pictures (ISO/IEC 23008-12 annex B, AV1 Image File Format section 6). */
const SEQUENCE_BRANDS = new Set(['avis', 'hevc', 'hevx', 'hevm', 'hevs', 'msf1']);
/** The brand of a file with a picture. libheif reads the main picture of such a file, and ffmpeg still the sequence, unlike that of one called `avif`. */
const STILL_BRAND = 'mif1';
const MAX_BRANDS = 32;

/** Tags of TIFF 6.0, TIFF/EP and DNG. */
const TAGS = {
  subfileType: 254,
  oldSubfileType: 255,
  bits: 258,
  compression: 259,
  photometric: 262,
  strips: 273,
  orientation: 274,
} as const;
const [STRIP_BYTES, JPEG_AT, JPEG_BYTES, PANASONIC_JPEG] = [279, 513, 514, 46];
const [REDUCED, MASK] = [1, 4];
const OLD_REDUCED = 2;
/** Values of a sensor, before they are colours: colour filter array, and linear raw (DNG). */
const SENSOR = new Set([32_803, 34_892]);
const JPEG_COMPRESSIONS = new Set([6, 7]);
const CIELAB = 8;
const CANON_BOXES = /^....ftypcrx /s;
/** Raw photos by their first bytes: Canon, Olympus, Panasonic, Fujifilm, Sigma, Minolta, and Canon's in boxes. The first three are built like a TIFF. */
const RAW_SIGNATURES = [
  /^II\*\0....CR/s,
  /^(IIR[OS]|MMOR)/,
  /^IIU\0/,
  /^FUJIFILMCCD-RAW/,
  /^FOVb/,
  /^\0MRM/,
  /^II....HEAPCCDR/s,
  CANON_BOXES,
];
const FUJIFILM = { signature: 'FUJIFILMCCD-RAW', at: 84, bytes: 88 };

/** Whether a file is a raw photo by its first bytes. DNG, NEF and others begin like a TIFF. */
export const isRawHead = (head: Buffer): boolean => RAW_SIGNATURES.some((signature) => signature.test(head.toString('latin1', 0, 16)));

/**
 * Changes a file in the folder of a transcoding so that all programs see its picture: that of a PNG upright, the main one of a sequence, the full one of
 * a TIFF whose first one is reduced, and of a raw photo the largest embedded JPEG. Returns the type by its content: an extension, `apng` or `avis` for an
 * animation, `cielab` for a TIFF in L*a*b* of 8 bits, `raw` for a raw photo without a JPEG; null: unknown.
 */
export async function preparePicture(name: string): Promise<string | null> {
  const head = await readHead(name, HEAD_BYTES);
  const type = detectImageType(head);
  if (type === 'png') {
    await putExifFirst(name);
    return isAnimatedPng(head) ? 'apng' : 'png';
  }
  if (type !== 'tif' && type !== 'avif' && type !== 'heic') return isRawHead(head) ? await prepareRaw(name, head) : type;
  return type === 'tif' ? await prepareTiff(name, head) : await prepareSequence(name, head, type);
}

/** The end of the signature and the header of a PNG, which come first. */
const PNG_HEADER_BYTES = 33;

/** Moves the EXIF data of a PNG, with its orientation, before its picture. */
async function putExifFirst(name: string): Promise<void> {
  const { chunk, size } = await withPicture(name, async (file) => ({ chunk: await findExifChunk(file), size: file.size }));
  if (!chunk?.isBehind) return;
  const { start, bytes } = chunk;
  const parts = [
    [0, PNG_HEADER_BYTES],
    [start, start + bytes],
    [PNG_HEADER_BYTES, start],
    [start + bytes, size],
  ] as const;
  const moved = `${name}-png`;
  const output = createWriteStream(moved, { flags: 'wx', mode: 0o600 });
  await pipeline(async function* () {
    for (const [from, to] of parts) if (to > from) yield* createReadStream(name, { start: from, end: to - 1 });
  }, output);
  await rename(moved, name);
}

/** Names the main picture of a sequence in the first brand (ISO/IEC 23008-12 annex B), which programs go by. */
async function prepareSequence(name: string, head: Buffer, type: string): Promise<string> {
  const end = Math.min(head.readUInt32BE(0), 16 + 4 * MAX_BRANDS, head.length);
  const brands = [8, ...Array.from({ length: Math.max(0, Math.floor((end - 16) / 4)) }, (_, index) => 16 + 4 * index)];
  const [major = '', ...compatible] = brands.map((at) => head.toString('latin1', at, at + 4));
  if (SEQUENCE_BRANDS.has(major)) await overwrite(name, Buffer.from(STILL_BRAND), 8);
  return type === 'avif' && [major, ...compatible].includes('avis') ? 'avis' : type;
}

async function prepareTiff(name: string, head: Buffer): Promise<string> {
  const directories = await withPicture(name, readDirectories);
  if (isRawHead(head) || directories.some((one) => SENSOR.has(first(one, TAGS.photometric) ?? 0))) return await prepareRaw(name, head);
  const [page] = directories;
  const full = page && isReduced(page) ? directories.find((one) => !isReduced(one) && !isMask(one)) : undefined;
  if (full) await putFirst(name, head, full);
  const shown = full ?? page;
  return shown && first(shown, TAGS.photometric) === CIELAB && first(shown, TAGS.bits) === 8 ? 'cielab' : 'tif';
}

const first = ({ tags }: TiffDirectory, tag: number): number | undefined => tags.get(tag)?.numbers[0];
const isReduced = (one: TiffDirectory): boolean =>
  ((first(one, TAGS.subfileType) ?? 0) & REDUCED) !== 0 || first(one, TAGS.oldSubfileType) === OLD_REDUCED;
const isMask = (one: TiffDirectory): boolean => ((first(one, TAGS.subfileType) ?? 0) & MASK) !== 0;

/** Makes a directory the first one of its file. */
async function putFirst(name: string, head: Buffer, { offset }: TiffDirectory): Promise<void> {
  const isLittle = head[0] === 0x49;
  const isBig = (isLittle ? head.readUInt16LE(2) : head.readUInt16BE(2)) === 0x2b;
  const place = Buffer.alloc(isBig ? 8 : 4);
  if (isBig) isLittle ? place.writeBigUInt64LE(BigInt(offset)) : place.writeBigUInt64BE(BigInt(offset));
  else isLittle ? place.writeUInt32LE(offset) : place.writeUInt32BE(offset);
  await overwrite(name, place, place.length);
}

/** A JPEG in a raw photo, or a picture of it in JPEG that has several parts. */
interface EmbeddedPicture {
  readonly pixels: number;
  readonly place: { readonly start: number; readonly bytes: number } | TiffDirectory;
}

async function prepareRaw(name: string, head: Buffer): Promise<string> {
  const { pictures, orientation } = await withPicture(name, async (file) => await findEmbedded(file, head));
  const [largest] = [...pictures].sort((one, other) => other.pixels - one.pixels);
  if (!largest) return RAW;
  if ('tags' in largest.place) {
    await putFirst(name, head, largest.place);
    return 'tif';
  }
  await replaceByJpeg(name, largest.place, orientation);
  return 'jpg';
}

async function findEmbedded(file: PictureFile, head: Buffer): Promise<{ pictures: readonly EmbeddedPicture[]; orientation: number }> {
  const index = CANON_BOXES.test(head.toString('latin1', 0, 16)) ? await findCanonIndex(file) : null;
  const directories = index ? [...(await readCanonDirectory(file, index))] : await readDirectories(file);
  const places = [...directories.flatMap(jpegsOf), ...(index ? samplesOf(index.content) : [])];
  if (head.toString('latin1', 0, 15) === FUJIFILM.signature)
    places.push({ start: head.readUInt32BE(FUJIFILM.at), bytes: head.readUInt32BE(FUJIFILM.bytes) });
  const pictures: EmbeddedPicture[] = [];
  for (const place of places) {
    const bytes = await file.read(place.start, Math.min(place.bytes, HEAD_BYTES));
    // Sensor values may be stored as a JPEG without loss, whose size this does not read.
    const jpeg = bytes && readImageHeader(bytes);
    if (jpeg?.type === 'jpg' && place.start + place.bytes <= file.size) pictures.push({ pixels: jpeg.width * jpeg.height, place });
  }
  for (const place of directories)
    if (isInParts(place)) pictures.push({ pixels: (first(place, 256) ?? 0) * (first(place, 257) ?? 0), place });
  return { pictures, orientation: (directories[0] && first(directories[0], TAGS.orientation)) ?? 1 };
}

/** The index of a photo in boxes, and where it begins in the file. */
interface CanonIndex {
  readonly start: number;
  readonly content: Buffer;
}
/** A photo has four boxes beside the pictures; its index has some 30 kB. */
const [MAX_BOXES, MAX_INDEX_BYTES] = [16, 1_048_576];

/** Finds the index (`moov`) of a photo in boxes (ISO/IEC 14496-12 section 4.2). */
async function findCanonIndex({ read }: PictureFile): Promise<CanonIndex | null> {
  for (let at = 0, boxes = 0; boxes < MAX_BOXES; boxes += 1) {
    const box = await read(at, 8);
    const bytes = box?.readUInt32BE(0) ?? 0;
    if (!box || bytes < 8) return null;
    if (box.toString('latin1', 4, 8) === 'moov') {
      const content = bytes <= MAX_INDEX_BYTES ? await read(at, bytes) : null;
      return content && { start: at, content };
    }
    at += bytes;
  }
  return null;
}

/** The directory with the orientation, which Canon stores as a TIFF in the box `CMT1`. */
async function readCanonDirectory(file: PictureFile, { start, content }: CanonIndex): Promise<readonly TiffDirectory[]> {
  const at = content.indexOf('CMT1');
  const directory = at < 0 ? null : await readFirstDirectory(file, start + at + 4);
  return directory ? [directory] : [];
}

/** The first sample of each track (ISO/IEC 14496-12 sections 8.7.3 and 8.7.5): that of one track is a JPEG of full size, those of others are not. */
function samplesOf(index: Buffer): { start: number; bytes: number }[] {
  const found: { start: number; bytes: number }[] = [];
  for (let at = index.indexOf('trak'); at >= 0; at = index.indexOf('trak', at + 4)) {
    const [sizes, places] = [index.indexOf('stsz', at), index.indexOf('co64', at)];
    if (sizes < 0 || places < 0 || sizes + 20 > index.length || places + 20 > index.length) break;
    const bytes = index.readUInt32BE(sizes + 8) || index.readUInt32BE(sizes + 16);
    found.push({ start: Number(index.readBigUInt64BE(places + 12)), bytes });
  }
  return found;
}

const isJpeg = (one: TiffDirectory): boolean =>
  JPEG_COMPRESSIONS.has(first(one, TAGS.compression) ?? 0) && !SENSOR.has(first(one, TAGS.photometric) ?? 0);

/** The JPEGs that a directory names: as one, as a strip, or as Panasonic does. */
function jpegsOf(one: TiffDirectory): { start: number; bytes: number }[] {
  const panasonic = one.tags.get(PANASONIC_JPEG);
  const pairs = [[first(one, JPEG_AT), first(one, JPEG_BYTES)], isJpeg(one) ? [first(one, TAGS.strips), first(one, STRIP_BYTES)] : []];
  return [
    ...pairs.flatMap(([start, bytes]) => (start && bytes ? [{ start, bytes }] : [])),
    ...(panasonic && panasonic.count > 4 ? [{ start: panasonic.position, bytes: panasonic.count }] : []),
  ];
}

/** Whether a directory is a picture in JPEG that consists of strips or tiles, of which libtiff makes one. */
const isInParts = (one: TiffDirectory): boolean =>
  first(one, TAGS.compression) === 7 && isJpeg(one) && one.tags.get(TAGS.strips)?.count !== 1 && first(one, TAGS.photometric) !== undefined;

/** Replaces a raw photo by a JPEG in it. The orientation of the photo is that of the JPEG, unless this has one of its own. */
async function replaceByJpeg(name: string, { start, bytes }: { start: number; bytes: number }, orientation: number): Promise<void> {
  const jpeg = `${name}-jpeg`;
  const own = await withPicture(name, async ({ read }) => await read(start, Math.min(bytes, HEAD_BYTES)));
  const isOriented = orientation > 1 && orientation <= 8 && !own?.includes('Exif\0\0', 0, 'latin1');
  const marker = isOriented ? 2 : 0;
  const output = createWriteStream(jpeg, { flags: 'wx', mode: 0o600 });
  if (isOriented) output.write(Buffer.concat([Buffer.from('ffd8', 'hex'), orientationSegment(orientation)]));
  await pipeline(createReadStream(name, { start: start + marker, end: start + bytes - 1 }), output);
  await rename(jpeg, name);
}

/** A segment with nothing but an orientation (Exif 2.32, section 4.5.4). */
const orientationSegment = (orientation: number): Buffer =>
  Buffer.from(`ffe10022${Buffer.from('Exif\0\0MM\0*').toString('hex')}0000000800010112000300000001000${orientation}000000000000`, 'hex');

async function withPicture<Result>(name: string, work: (file: PictureFile) => Promise<Result>): Promise<Result> {
  const file = await open(name);
  try {
    return await work(await pictureFileOf(file));
  } finally {
    await file.close();
  }
}

async function overwrite(name: string, bytes: Buffer, position: number): Promise<void> {
  const file: FileHandle = await open(name, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, position);
  } finally {
    await file.close();
  }
}
