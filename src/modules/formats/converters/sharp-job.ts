import { parseColor } from '../../../shared/color.js';
import type { FormatSettings } from '../format-settings.dto.js';
import type { Gravity, Parameters } from '../format-settings.js';
import type { Step } from './converter.js';
import type { ReadableImage } from './decode-image.js';

/**
 * The largest image, in pixels; the pictures of an animation count together. A photo of 200 megapixels passes. In 16 bits with transparency such an
 * image takes 2 GiB, half of what sharp may use.
 */
export const MAX_PIXELS = 256_000_000;

/** An image that sharp draws over another one. */
interface SharpMark extends Pick<ReadableImage, 'input' | 'type' | 'mainOf' | 'isUpright'> {
  readonly maxPixels: number;
  /** Width in percent of the image below; 0: unscaled. */
  readonly percent: number;
  /** The distance from the edges, as a part of the width of the image below. */
  readonly margin: number;
  readonly gravity: Gravity;
}

/** The input of the program that makes an image with sharp (run-sharp.cjs). The result is upright, and in sRGB with its profile. */
export interface SharpJob extends Pick<ReadableImage, 'input' | 'type' | 'mainOf' | 'isUpright' | 'frames'> {
  readonly output: string;
  readonly maxPixels: number;
  /** The memory of a decoder that has to hold the whole image; absent: no limit. */
  readonly maxHeldBytes?: number;
  /** Keeps all pictures of an animation. */
  readonly animated?: boolean;
  /** ImageMagick's `-crop`; absent: the whole image. */
  readonly crop?: string;
  readonly gravity?: string;
  /** ImageMagick's geometry; absent: the size is kept. */
  readonly size?: string;
  /** Fills the size, and cuts off what is outside of it. */
  readonly cover?: boolean;
  /** The background colour of a transparent image; absent: it stays transparent. */
  readonly background?: string;
  readonly gray?: boolean;
  readonly watermark?: SharpMark;
  /** 16 bits. */
  readonly deep?: boolean;
  /** Keeps the colours and the profile of a coloured image. */
  readonly keepsProfile?: boolean;
  /** Metadata to write, as XMP. */
  readonly xmp?: string;
  /** Keeps the copyright notice, as Exif; one that is not in ASCII also as XMP. */
  readonly keepsCopyright?: boolean;
  readonly format: string;
  /** sharp's options for the format. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
}

const always = () => true;
const isWebpDefine = (value: string) => WEBP_DEFINE.test(value);
const WEBP_DEFINE = /^webp:(lossless|method|alpha-quality)=(true|false|\d+)$/;

/**
 * Accepts the values of parameters that sharp understands, or that mean nothing for the file type; parameters without a rule are drawn or written by
 * ImageMagick.
 */
const RULES: Readonly<Record<string, (value: string, filetype: string) => boolean>> = {
  crop: (value) => !value.endsWith('!'),
  gravity: always,
  resize: always,
  thumbnail: always,
  background: always,
  quality: always,
  interlace: always,
  // AVIF with 4:2:2 needs a profile of AV1 that decoders in hardware lack; it is made with 4:4:4.
  'sampling-factor': (value, filetype) => filetype !== 'jpg' || value !== '4:2:2',
  colorspace: always,
  colors: (_, filetype) => ['png', 'gif'].includes(filetype),
  depth: always,
  define: isWebpDefine,
  profile: always,
};

/** The order of operators that decide the shape, regardless of the order in which they were sent. */
const SHAPING = ['crop', 'rotate', 'flip', 'flop', 'trim', 'resize', 'thumbnail', 'extent'];
/** Parameters that concern the encoding of the result. */
const WRITING = ['depth', 'density', 'interlace', 'sampling-factor', 'quality', 'define'];

const isOn = (value: Parameters[string] | undefined): boolean => value !== undefined && String(value) !== 'false';

/** Which program does what for a format. */
export interface ImagePlan {
  /** The operators of SHAPING that sharp applies. */
  readonly shaping: readonly string[];
  /** The operators that ImageMagick applies afterwards. */
  readonly drawing: readonly string[];
  /** Whether ImageMagick writes the result. */
  readonly isWrittenByImageMagick: boolean;
}

/** Plans who applies the parameters of a format. After the first operator that sharp does not have, ImageMagick decides the shape. */
export function planImage({ filetype = '' }: FormatSettings, command: Parameters): ImagePlan {
  const isSharps = (name: string) => RULES[name]?.(String(command[name]), filetype) ?? false;
  const shaping = SHAPING.filter((name) => isOn(command[name]));
  const isTwofold = shaping.includes('resize') && shaping.includes('thumbnail');
  const first = shaping.findIndex((name) => !isSharps(name) || (isTwofold && name === 'thumbnail'));
  const [own, left] = first === -1 ? [shaping, []] : [shaping.slice(0, first), shaping.slice(first)];
  const others = Object.keys(command).filter((name) => isOn(command[name]) && !SHAPING.includes(name) && !isSharps(name));
  return {
    shaping: own,
    drawing: [...left, ...others.filter((name) => !WRITING.includes(name))],
    isWrittenByImageMagick: others.some((name) => WRITING.includes(name)),
  };
}

/** Returns what sharp cannot do of a format, in terms of the API; empty: the format is made without ImageMagick. */
export function findSharpObstacles(settings: FormatSettings, command: Parameters): readonly string[] {
  const filetype = settings.filetype ?? '';
  const parameters = Object.entries(command).filter(([name, value]) => isOn(value) && !(RULES[name]?.(String(value), filetype) ?? false));
  return [
    ...(settings.annotation ? ['settings.annotation'] : []),
    ...parameters.map(([name, value]) => `the parameter ${name} ${value}`),
    ...(isOn(command.resize) && isOn(command.thumbnail) ? ['resize together with thumbnail'] : []),
  ];
}

const sharpStep = (task: 'make' | 'measure' | 'examine', job: object): Step => ({
  program: 'sharp',
  argv: [task, JSON.stringify(job)],
  stdout: null,
});

/** Builds the step that makes an image with sharp. */
export const buildSharp = (job: Omit<SharpJob, 'maxPixels'>): Step => sharpStep('make', { ...job, maxPixels: MAX_PIXELS });

/** Builds the step that examines an image; `stdout` is the file for `{ animated, transparent }`. */
export const buildSharpExamination = (image: Pick<SharpJob, 'input' | 'type' | 'maxHeldBytes'>, stdout: string): Step => ({
  ...sharpStep('examine', { ...image, maxPixels: MAX_PIXELS }),
  stdout,
});

/** Builds the step that measures an image of one of sharp's types; `stdout` is the file for `{ width, height }`, as viewers show it. */
export const buildSharpProbe = (input: string, type: string, stdout: string): Step => ({
  ...sharpStep('measure', { input, type }),
  stdout,
});

/** The part of a job that decides the shape and the colours before a watermark is drawn. */
export function shapeOf({ shaping }: ImagePlan, command: Parameters, filetype: string): Partial<SharpJob> {
  const of = (name: string) => (shaping.includes(name) ? command[name] : undefined);
  const crop = of('crop');
  const size = of('resize') ?? of('thumbnail');
  return {
    ...(crop !== undefined && { crop: String(crop), gravity: String(command.gravity ?? 'NorthWest') }),
    ...(size !== undefined && { size: String(size) }),
    ...(filetype === 'jpg' && { background: opaque(String(command.background ?? 'white')) }),
    ...(command.colorspace === 'Gray' && { gray: true }),
  };
}

/** A colour for what has no transparency. */
function opaque(text: string): string {
  const color = parseColor(text);
  if (color === null) throw new Error(`Not a colour: ${text}`);
  return color.name ?? `#${color.hex}`;
}

/** The part of a job that decides the encoding of the result. */
export function encodingOf(filetype: string, command: Parameters): Pick<SharpJob, 'format' | 'options'> {
  const { quality, interlace, 'sampling-factor': sampling, colors, define } = command;
  const [, name = '', value = ''] = (filetype === 'webp' && WEBP_DEFINE.exec(String(define ?? ''))) || [];
  const has = (...types: readonly string[]) => types.includes(filetype);
  const options = {
    ...(quality !== undefined && has('jpg', 'webp', 'avif') && { quality: Number(quality) }),
    ...(isInterlaced(interlace) && has('jpg', 'png', 'gif') && { progressive: true }),
    ...(sampling !== undefined && has('jpg', 'avif') && { chromaSubsampling: sampling === '4:2:0' ? '4:2:0' : '4:4:4' }),
    ...(colors !== undefined && has('png', 'gif') && { colours: Number(colors), ...(has('png') && { palette: true }) }),
    ...(name === 'lossless' && { lossless: value === 'true' }),
    ...(name === 'method' && { effort: Number(value) }),
    ...(name === 'alpha-quality' && { alphaQuality: Number(value) }),
    // By default sharp compresses TIFF as JPEG.
    ...(has('tiff') && { compression: 'lzw' }),
  };
  return { format: filetype === 'jpg' ? 'jpeg' : filetype, options };
}

const isInterlaced = (interlace: Parameters[string] | undefined): boolean => interlace === 'Plane' || interlace === 'Line';
