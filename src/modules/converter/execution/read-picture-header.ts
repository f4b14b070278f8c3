import { open } from 'node:fs/promises';
import { HEIF } from 'image-size/types/heif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import type { ProbedMedia } from './parse-probe.js';

/** The first bytes of a file, or as many as it has. */
export async function readHead(name: string, bytes = 4_096): Promise<Buffer> {
  const file = await open(name);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The first bytes of image types: hexadecimal bytes at an offset. */
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

/** The extension of an image by its first bytes (12 suffice), whatever its name; null: not a supported image. */
export function detectImageType(head: Uint8Array): string | null {
  const hex = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString('hex');
  return SIGNATURES.find(([, offset, bytes]) => hex.startsWith(bytes, offset * 2))?.[0] ?? null;
}

interface PictureType {
  /** ffmpeg's names. */
  readonly codec: string;
  readonly demuxer: string;
  readonly reader: typeof JPG;
}

/** Each reader is used by itself: the package's own detection would run readers of other types on the content. */
const TYPES: ReadonlyMap<string, PictureType> = new Map([
  ['jpg', { codec: 'mjpeg', demuxer: 'jpeg_pipe', reader: JPG }],
  ['png', { codec: 'png', demuxer: 'png_pipe', reader: PNG }],
  ['webp', { codec: 'webp', demuxer: 'webp_pipe', reader: WEBP }],
  ['avif', { codec: 'av1', demuxer: 'mov', reader: HEIF }],
]);
/** Profiles and previews precede the size of a JPEG; if they take more than this, ffprobe measures it. */
const HEAD_BYTES = 131_072;
/** ffprobe decides whether larger images are accepted. */
const MAX_PIXELS = 100_000_000;

/**
 * Measures an image by its header, as ffprobe would, without starting a program. Null: ffprobe has to measure it, because it is of another type,
 * damaged or very large. `demuxer`: the required type of the image; null accepts every type.
 */
export async function readPictureHeader(file: string, demuxer: string | null): Promise<ProbedMedia | null> {
  const head = await readHead(file, HEAD_BYTES);
  const type = TYPES.get(detectImageType(head) ?? '');
  if (!type || (demuxer !== null && demuxer !== type.demuxer)) return null;
  const size = sizeIn(head, type.reader);
  if (!size || !(size.width > 0 && size.height > 0 && size.width * size.height <= MAX_PIXELS)) return null;
  const { width, height } = size;
  const unknown = { pixelAspect: null, duration: null, frameRate: null, baseFrameRate: null, color: null, audioCodec: null };
  return { ...unknown, width, height, rotation: 0, videoCodec: type.codec };
}

/** Null: the header is damaged, unusual, or longer than `head`. */
function sizeIn(head: Uint8Array, reader: PictureType['reader']): { readonly width: number; readonly height: number } | null {
  try {
    return reader.validate(head) ? reader.calculate(head) : null;
  } catch {
    return null;
  }
}
