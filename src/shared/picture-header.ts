import { BMP } from 'image-size/types/bmp';
import { GIF } from 'image-size/types/gif';
import { J2C } from 'image-size/types/j2c';
import { JP2 } from 'image-size/types/jp2';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { PSD } from 'image-size/types/psd';
import { WEBP } from 'image-size/types/webp';
import { readHeifSize } from './heif-header.js';

/** The signatures of image types: hexadecimal bytes at an offset. */
const SIGNATURES: readonly (readonly [extension: string, offset: number, bytes: string])[] = [
  ['jpg', 0, 'ffd8ff'],
  ['png', 0, '89504e470d0a1a0a'],
  ['gif', 0, '47494638'],
  ['webp', 8, '57454250'],
  ['tif', 0, '49492a00'],
  ['tif', 0, '4d4d002a'],
  ['tif', 0, '49492b00'],
  ['tif', 0, '4d4d002b'],
  ['bmp', 0, '424d'],
  ['psd', 0, '38425053'],
  ['jp2', 0, '0000000c6a5020200d0a870a'],
  ['j2k', 0, 'ff4fff51'],
];
/** The brands of images in HEIF files (ISO/IEC 23008-12 annex B, AV1 Image File Format section 6); others are films. */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ...['avif', 'avis'].map((brand) => [brand, 'avif'] as const),
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'].map((brand) => [brand, 'heic'] as const),
]);
/** Brands that do not name the codec; the brands behind them do. */
const GENERAL_BRANDS = new Set(['mif1', 'msf1']);

const SIGNATURE_BYTES = 12;
/** Real files name fewer compatible brands. */
const MAX_BRANDS = 32;

/** The extension of an image by its first bytes, regardless of its name; null if it is not a supported image. */
export function detectImageType(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.toString('latin1', 4, 8) === 'ftyp') return detectHeif(bytes);
  const hex = bytes.toString('hex', 0, SIGNATURE_BYTES);
  return SIGNATURES.find(([, offset, signature]) => hex.startsWith(signature, offset * 2))?.[0] ?? null;
}

/** Reads the brands at the beginning of a file of boxes (ISO/IEC 14496-12 section 4.3). */
function detectHeif(bytes: Buffer): string | null {
  const major = bytes.toString('latin1', 8, 12);
  if (!GENERAL_BRANDS.has(major)) return BRANDS.get(major) ?? null;
  const end = Math.min(bytes.length, bytes.readUInt32BE(0), 16 + 4 * MAX_BRANDS);
  for (let at = 16; at + 4 <= end; at += 4) {
    const type = BRANDS.get(bytes.toString('latin1', at, at + 4));
    if (type !== undefined) return type;
  }
  return 'heic';
}

/** Readers are called directly, because the package's own detection would run readers of other types on the content. */
const READERS: Readonly<Partial<Record<string, typeof JPG>>> = {
  bmp: BMP,
  gif: GIF,
  j2k: J2C,
  jp2: JP2,
  jpg: JPG,
  png: PNG,
  psd: PSD,
  webp: WEBP,
};
/** Pixels of a side that PostgreSQL's integer holds. */
const MAX_SIDE = 2_147_483_647;
const isSide = (pixels: number): boolean => pixels > 0 && pixels <= MAX_SIDE;
const HEIF_TYPES = new Set(['avif', 'heic']);

/** The type of an image according to its first bytes, and its size in pixels. */
export interface PictureHeader {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  /** EXIF orientation of a JPEG, else 1; 5 to 8 rotate the picture by 90 degrees. The size of an HEIC or AVIF is that of the rotated image. */
  readonly orientation: number;
}

/** Reads type and size from the first bytes. Null if the image is of another type, or its header is damaged or longer than `head`. */
export function readImageHeader(head: Uint8Array): PictureHeader | null {
  const type = detectImageType(head);
  if (type === null) return null;
  try {
    const size = HEIF_TYPES.has(type) ? readHeifSize(Buffer.from(head)) : readSize(head, READERS[type]);
    return size && isSide(size.width) && isSide(size.height) ? { type, ...size } : null;
  } catch {
    return null; // the readers throw when they read past the end of `head`
  }
}

function readSize(head: Uint8Array, reader: typeof JPG | undefined): Omit<PictureHeader, 'type'> | null {
  if (!reader?.validate(head)) return null;
  const { width, height, orientation = 1 } = reader.calculate(head);
  return { width, height, orientation };
}

/** Whether a PNG is animated (APNG): the chunk acTL precedes the picture (PNG, third edition, section 11.3.6.1). */
export function isAnimatedPng(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = bytes.toString('latin1', at + 4, at + 8);
    if (chunk === 'acTL' || chunk === 'IDAT') return chunk === 'acTL';
  }
  return false;
}
