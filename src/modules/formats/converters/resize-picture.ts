import type { Step } from './converter.js';
import { decodeImage, inputOf } from './decode-image.js';
import { buildSharp, buildSharpExamination } from './sharp-job.js';

/** sharp's names of the file types in which pictures are delivered in any size. */
export type PictureFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif';

/** An uploaded or converted picture in the folder of a job. */
interface PictureFile {
  readonly file: string;
  /** The actual type of the file. */
  readonly extension: string | null;
  /** The programs of this machine. */
  readonly programs: readonly string[];
}

interface ResizedPicture extends PictureFile {
  readonly format: PictureFormat;
  /** Pixels of the result. */
  readonly width: number;
  readonly height: number;
  /** Whether the picture fills the size and is cut off; otherwise the size has its shape. */
  readonly cover: boolean;
  /** The file to write. */
  readonly output: string;
}

/** libvips writes AVIF with one picture only. */
const ANIMATED: ReadonlySet<PictureFormat> = new Set(['webp', 'gif']);
/** Without a transparent part, and for viewers whose page is light. */
const OPAQUE: ReadonlySet<PictureFormat> = new Set(['jpeg']);

/**
 * The most pixels of a result, so that its encoder takes less than half of the memory: AVIF, WebP and GIF hold several copies of the picture, JPEG its
 * coefficients.
 */
const MAX_RESULT_PIXELS: Readonly<Record<PictureFormat, number>> = {
  ...{ avif: 6_000_000, webp: 11_000_000, gif: 11_000_000, jpeg: 16_000_000, png: 24_000_000 },
};
/** Of a side: WebP stores it in 14 bits. */
const MAX_RESULT_SIDE = 16_383;

/** The size of a picture, reduced so far that each size of it can be made in this file type. */
export function largestResult<Picture extends { readonly width: number; readonly height: number }>(
  picture: Picture,
  format: PictureFormat,
): Picture {
  const { width, height } = picture;
  const factor = Math.min(1, Math.sqrt(MAX_RESULT_PIXELS[format] / (width * height)), MAX_RESULT_SIDE / Math.max(width, height));
  return { ...picture, width: Math.max(1, Math.floor(width * factor)), height: Math.max(1, Math.floor(height * factor)) };
}

/** sharp's options: nearly no visible difference from the original, encoded within some seconds at the largest size. */
const OPTIONS: Readonly<Record<PictureFormat, Readonly<Record<string, string | number | boolean>>>> = {
  avif: { quality: 55, effort: 1, chromaSubsampling: '4:2:0' },
  webp: { quality: 80, effort: 3 },
  jpeg: { quality: 82, progressive: true },
  png: { compressionLevel: 8 },
  gif: {},
};

/**
 * The memory of a decoder that holds the whole image, in bytes: a process that makes a size takes at most 256 MiB (contract section 13.4). A
 * progressive JPEG of 44 megapixels passes; other JPEGs are read line by line.
 */
const MAX_HELD_BYTES = 134_217_728;

/** Plans the steps that find out whether a picture is animated or transparent; `stdout` is the file for `{ animated, transparent }`. */
export function planPictureExamination(picture: PictureFile, stdout: string): readonly Step[] {
  const image = decodeImage(picture);
  return [...image.steps, buildSharpExamination({ ...inputOf(image), maxHeldBytes: MAX_HELD_BYTES }, stdout)];
}

/** Plans the steps that make a picture in another size: upright, in sRGB, with no other metadata than the copyright notice. */
export function planResizedPicture(picture: ResizedPicture): readonly Step[] {
  const { format, width, height, cover, output, programs } = picture;
  const animated = ANIMATED.has(format) && (picture.extension !== 'avis' || ['ffmpeg', 'ffprobe'].every((one) => programs.includes(one)));
  const image = decodeImage({ ...picture, animated });
  const job = {
    ...inputOf(image),
    maxHeldBytes: MAX_HELD_BYTES,
    ...(animated && { animated }),
    size: `${width}x${height}!`,
    ...(cover && { cover }),
    ...(OPAQUE.has(format) && { background: 'white' }),
    keepsCopyright: true,
    format,
    options: OPTIONS[format],
    output,
  };
  return [...image.steps, buildSharp(job)];
}
