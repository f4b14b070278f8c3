import { BMP } from 'image-size/types/bmp';
import { GIF } from 'image-size/types/gif';
import { J2C } from 'image-size/types/j2c';
import { JP2 } from 'image-size/types/jp2';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { PSD } from 'image-size/types/psd';
import { WEBP } from 'image-size/types/webp';
import { detectImageType } from '../../../../shared/image-type.js';
import { readHeifSize } from './heif-header.js';

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
