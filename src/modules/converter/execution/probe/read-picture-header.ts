import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { detectImageType } from '../../../formats/index.js';
import type { ProbedMedia } from './parse-probe.js';
import { readHead } from './read-head.js';

interface PictureType {
  /** ffmpeg's names. */
  readonly codec: string;
  readonly demuxer: string;
  readonly reader: typeof JPG;
}

/** Each reader is taken by itself: the package's search among all that it knows would try the content on readers of other types. */
const TYPES: ReadonlyMap<string, PictureType> = new Map([
  ['jpg', { codec: 'mjpeg', demuxer: 'jpeg_pipe', reader: JPG }],
  ['png', { codec: 'png', demuxer: 'png_pipe', reader: PNG }],
  ['webp', { codec: 'webp', demuxer: 'webp_pipe', reader: WEBP }],
]);
/** Profiles and previews stand before the size of a JPEG; where they take more, ffprobe reads on. */
const HEAD_BYTES = 131_072;
/** Whether more of them are taken is not for this to say. */
const MOST_PIXELS = 100_000_000;

/**
 * What ffprobe would measure of a picture, from its header, without starting a program. Null: ffprobe has to look, at what is of another type,
 * damaged or very large. `demuxer`: what the picture has to be; null: anything.
 */
export async function readPictureHeader(file: string, demuxer: string | null): Promise<ProbedMedia | null> {
  const head = await readHead(file, HEAD_BYTES);
  const type = TYPES.get(detectImageType(head) ?? '');
  if (!type || (demuxer !== null && demuxer !== type.demuxer)) return null;
  const size = sizeIn(head, type.reader);
  if (!size || !(size.width > 0 && size.height > 0 && size.width * size.height <= MOST_PIXELS)) return null;
  const { width, height } = size;
  return { width, height, rotation: 0, pixelAspect: null, duration: null, frameRate: null, videoCodec: type.codec, audioCodec: null };
}

/** Null: the header is damaged, of a rare kind, or longer than this. */
function sizeIn(head: Uint8Array, reader: PictureType['reader']): { readonly width: number; readonly height: number } | null {
  try {
    return reader.validate(head) ? reader.calculate(head) : null;
  } catch {
    return null;
  }
}
