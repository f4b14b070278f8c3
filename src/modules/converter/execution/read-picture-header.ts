import { open } from 'node:fs/promises';
import { readImageHeader } from '../../../shared/picture-header.js';
import { IMAGE_FACTS, type ProbedMedia } from './parse-probe.js';

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

/** ffmpeg's names for the types that need no program. */
const TYPES: ReadonlyMap<string, { readonly codec: string; readonly demuxer: string }> = new Map([
  ['jpg', { codec: 'mjpeg', demuxer: 'jpeg_pipe' }],
  ['png', { codec: 'png', demuxer: 'png_pipe' }],
  ['webp', { codec: 'webp', demuxer: 'webp_pipe' }],
  ['avif', { codec: 'av1', demuxer: 'mov' }],
]);
/** Profiles and previews precede the size in a JPEG; if they take more bytes than this, ffprobe measures the image. */
const HEAD_BYTES = 131_072;
/** ffprobe decides whether larger images are accepted. */
const MAX_PIXELS = 100_000_000;

/**
 * Measures an image by its header, as ffprobe would, without starting a program. Null: ffprobe has to measure it, because it is of another type,
 * damaged or very large. `demuxer`: the required type of the image; null accepts every type.
 */
export async function readPictureHeader(file: string, demuxer: string | null): Promise<ProbedMedia | null> {
  const header = readImageHeader(await readHead(file, HEAD_BYTES));
  const type = TYPES.get(header?.type ?? '');
  if (!header || !type || (demuxer !== null && demuxer !== type.demuxer)) return null;
  const { width, height } = header;
  if (width * height > MAX_PIXELS) return null;
  return { ...IMAGE_FACTS, width, height, videoCodec: type.codec };
}
