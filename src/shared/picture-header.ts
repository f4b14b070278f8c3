import { BMP } from 'image-size/types/bmp';
import { GIF } from 'image-size/types/gif';
import { HEIF } from 'image-size/types/heif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';

/** The signatures of image types: hexadecimal bytes at an offset. */
const SIGNATURES: readonly (readonly [extension: string, offset: number, bytes: string])[] = [
  ['jpg', 0, 'ffd8ff'],
  ['png', 0, '89504e470d0a1a0a'],
  ['gif', 0, '47494638'],
  ['webp', 8, '57454250'],
  ['tif', 0, '49492a00'],
  ['tif', 0, '4d4d002a'],
  ['bmp', 0, '424d'],
  ['psd', 0, '38425053'],
  ['jp2', 0, '0000000c6a5020200d0a870a'],
  ['avif', 4, '6674797061766966'],
  ['heic', 4, '6674797068656963'],
  ['heic', 4, '6674797068656978'],
  ['heic', 4, '667479706d696631'],
];

const SIGNATURE_BYTES = 12;

/** The extension of an image by its first bytes (12 suffice), regardless of its name; null if it is not a supported image. */
export function detectImageType(head: Uint8Array): string | null {
  const hex = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString('hex');
  return SIGNATURES.find(([, offset, bytes]) => hex.startsWith(bytes, offset * 2))?.[0] ?? null;
}

/** Readers are called directly, because the package's own detection would run readers of other types on the content. */
const READERS: Readonly<Partial<Record<string, typeof JPG>>> = { avif: HEIF, bmp: BMP, gif: GIF, jpg: JPG, png: PNG, webp: WEBP };

/** The type of an image according to its first bytes, and its size in pixels. */
export interface PictureHeader {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  /** EXIF orientation of a JPEG; 5 to 8 rotate the picture by 90 degrees. */
  readonly orientation: number;
}

/** Reads type and size from the first bytes. Null if the image is of another type, or its header is damaged or longer than `head`. */
export function readImageHeader(head: Uint8Array): PictureHeader | null {
  const type = detectImageType(head);
  const reader = type === null ? undefined : READERS[type];
  if (type === null || !reader) return null;
  try {
    if (!reader.validate(head)) return null;
    const { width, height, orientation = 1 } = reader.calculate(head);
    return width > 0 && height > 0 ? { type, width, height, orientation } : null;
  } catch {
    return null; // the readers throw when they read past the end of `head`
  }
}
