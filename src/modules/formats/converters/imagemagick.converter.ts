import { isColor } from '../../../shared/color.js';
import type { FormatSettings, Watermark } from '../format-settings.dto.js';
import { GRAVITIES, type Parameters } from '../format-settings.js';
import { annotate, toImageMagickColor } from './annotate.js';
import {
  type BuildRequest,
  type ConverterDescriptor,
  decimal,
  displaySize,
  flag,
  type Invocation,
  integer,
  MissingProgram,
  matching,
  metadataPrograms,
  oneOf,
  type ParameterRules,
  type ProgramName,
  Refusal,
  type Size,
  SOURCE,
  type SourceFacts,
  type Step,
  WATERMARK,
} from './converter.js';
import { encodeAvif } from './encode-avif.js';
import { placeOf, watermarkGravity, watermarkWidth } from './place.js';
import { buildSharp, canSharpRead, findSharpObstacles } from './sharp-job.js';

/** `1920x1080`, `1920x`, `x1080`, `50%`, with ImageMagick's suffixes: `>` only shrinks, `<` only enlarges, `^` fills, `!` exactly. */
const geometry = matching(/\d{1,5}x\d{0,5}[><^!]?|x\d{1,5}[><^!]?|\d{1,3}%/);
const region = matching(/\d{1,5}x\d{1,5}([+-]\d{1,5}[+-]\d{1,5})?!?/);
/** `radius x sigma + gain + threshold` */
const blur = matching(/\d{1,2}(\.\d{1,3})?(x\d{1,2}(\.\d{1,3})?(\+\d{1,2}(\.\d{1,3})?){0,2})?/);
/** Settings of the coders that write images; none of them names a file. */
const DEFINES = [
  'webp:(lossless|method|alpha-quality|auto-filter|image-hint|near-lossless|thread-level)',
  'png:(compression-(level|filter|strategy)|color-type|bit-depth|format)',
  'jpeg:(optimize-coding|dct-method|fancy-upsampling|block-smoothing)',
  'tiff:(alpha|endian|rows-per-strip|predictor)',
];
const define = matching(new RegExp(`(${DEFINES.join('|')})=[a-z0-9]{1,16}`));

/**
 * ImageMagick's operators and settings that are passed on; buildImagemagick determines their order. These are excluded, because they read or write
 * other files or run programs: write, script, define in general, draw, font files, set, print, process.
 */
const IMAGEMAGICK_PARAMETERS: ParameterRules = new Map([
  ['crop', region],
  ['rotate', integer(-360, 360)],
  ['flip', flag],
  ['flop', flag],
  ['trim', flag],
  ['resize', geometry],
  ['thumbnail', geometry],
  ['background', isColor],
  ['gravity', oneOf(...GRAVITIES)],
  ['extent', region],
  ['blur', blur],
  ['sharpen', blur],
  ['unsharp', blur],
  ['normalize', flag],
  ['brightness-contrast', matching(/-?\d{1,3}(x-?\d{1,3})?/)],
  ['modulate', matching(/\d{1,3}(,\d{1,3}){0,2}/)],
  ['gamma', decimal(0.1, 10)],
  ['colors', integer(2, 256)],
  ['colorspace', oneOf('sRGB', 'Gray')],
  ['depth', oneOf('8', '16')],
  ['density', integer(1, 2_400)],
  ['interlace', oneOf('None', 'Line', 'Plane')],
  ['sampling-factor', oneOf('4:2:0', '4:2:2', '4:4:4')],
  ['quality', integer(1, 100)],
  ['define', define],
]);

/**
 * ImageMagick's coders by file extension. The coder is always named: otherwise ImageMagick detects the type by the content, and some types (SVG,
 * MVG, MSL, PS) are programs that read files and open URLs.
 */
const READ_CODERS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['jpe', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tif', 'tiff'],
  ['tiff', 'tiff'],
  ['bmp', 'bmp'],
  ['heic', 'heic'],
  ['heif', 'heic'],
  ['avif', 'avif'],
  ['jp2', 'jp2'],
  ['psd', 'psd'],
]);

/** The coders of the results, by `filetype`. An AVIF is written as PNG first (encodeAvif). */
const WRITTEN_CODERS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tiff', 'tiff'],
  ['avif', 'png'],
]);

/** Returns the coder that reads images with this extension; null: not a supported image. */
export const findReadCoder = (extension: string | null): string | null =>
  READ_CODERS.get((extension ?? '').toLowerCase().replace(/^\./, '')) ?? null;

/** The resources of one run; `time` in seconds. Debian's own policy applies where it is stricter. */
const LIMITS = { memory: '512MiB', map: '1GiB', disk: '2GiB', area: '128MP', width: '16KP', height: '16KP', time: '120' };
/** The order of operators, regardless of the order in which they were sent: `gravity`, then shape, then improvements. */
const SHAPING = ['crop', 'rotate', 'flip', 'flop', 'trim', 'resize', 'thumbnail', 'extent'];
const IMPROVING = ['blur', 'sharpen', 'unsharp', 'normalize', 'brightness-contrast', 'modulate', 'gamma', 'colorspace', 'colors'];
const WRITING = ['depth', 'density', 'interlace', 'sampling-factor', 'quality', 'define'];
/** Images of these coders have no transparency. */
const OPAQUE = new Set(['jpeg']);
/** The intermediate image from which an AVIF is encoded: 8 bits, barely compressed. */
const SHAPED = 'shaped';
const WRITING_SHAPED = ['-depth', '8', '-define', 'png:compression-level=1'];
/** Operators that leave a virtual canvas larger than the image. */
const LEAVES_CANVAS = new Set(['crop', 'rotate', 'trim']);

/** The programs that shape and encode an image. */
const neededPrograms = ({ filetype }: FormatSettings): readonly ProgramName[] => [
  ...(['convert', 'ffprobe'] as const),
  ...(filetype === 'avif' ? (['ffmpeg'] as const) : []),
];

/** Makes images with ImageMagick, or with sharp if ImageMagick is missing and sharp supports the format. */
export const imagemagickConverter = {
  name: 'imagemagick',
  parameters: IMAGEMAGICK_PARAMETERS,
  filetypes: [...WRITTEN_CODERS.keys()],
  source: 'measured',
  result: 'media',
  programs: (settings) => [...neededPrograms(settings), ...metadataPrograms(settings)],
  findSharpObstacles,
  build: buildImagemagick,
} as const satisfies ConverterDescriptor;

/** Builds a run that takes the first frame, upright and in sRGB. */
function buildImagemagick(request: BuildRequest): Invocation {
  const { command, settings, source, watermark, programs } = request;
  const coder = findReadCoder(source.fileExtension);
  const written = WRITTEN_CODERS.get(String(settings.filetype));
  if (source.mediaType !== 'image') throw new Refusal('ImageMagick converts only images.');
  if (coder === null) throw new Refusal(`Images of the type ${JSON.stringify(source.fileExtension ?? '')} are not supported.`);
  if (written === undefined) throw new Refusal(`ImageMagick cannot make ${settings.filetype}.`);
  if (!neededPrograms(settings).every((program) => programs.includes(program))) {
    if (canSharpRead(coder)) return buildSharp(request, coder);
    throw new MissingProgram('convert');
  }
  const target = imageTargetSize(command, source);
  const output = `output.${settings.filetype}`;
  const isAvif = settings.filetype === 'avif';
  const isOpaque = written === 'jpeg' || (isAvif && OPAQUE.has(coder));
  const argv = [
    ...Object.entries(LIMITS).flatMap(([name, limit]) => ['-limit', name, limit]),
    // Temporary files stay in the folder and are removed with it.
    ...['-define', 'registry:temporary-path=.', `${coder}:${SOURCE}[0]`, '-auto-orient', '-colorspace', 'sRGB'],
    ...flatten(command, isOpaque),
    ...operators(command, SHAPING),
    ...operators(command, IMPROVING),
    ...(settings.watermark ? overlay(settings.watermark, target, watermark) : []),
    ...(settings.annotation ? annotate(settings.annotation, target) : []),
    // Specification, Metadata rule 4: all metadata is removed; exiftool writes new metadata afterwards.
    '-strip',
    ...(isAvif ? WRITING_SHAPED : operators(command, WRITING)),
    `${written}:${isAvif ? SHAPED : output}`,
  ];
  const steps: Step[] = [{ program: 'convert', argv, stdout: null }];
  if (isAvif) steps.push(encodeAvif(command, { image: SHAPED, isOpaque, output }));
  const inputs = { source: SOURCE, watermark: settings.watermark ? WATERMARK : null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps, output };
}

/** Adds a background if the result has no transparency. */
function flatten({ background, gravity }: Parameters, isOpaque: boolean): readonly string[] {
  const ground = background === undefined && isOpaque ? 'white' : background;
  return [
    ...(ground === undefined ? [] : ['-background', toImageMagickColor(String(ground))]),
    ...(isOpaque ? ['-alpha', 'remove', '-alpha', 'off'] : []),
    ...(gravity === undefined ? [] : ['-gravity', String(gravity)]),
  ];
}

/** Adds an offset, without which ImageMagick would cut the whole image into parts of this size. */
const oneRegion = (region: string): string => (/[+-]/.test(region) ? region : region.replace(/!?$/, '+0+0$&'));

function operators(command: Parameters, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = command[name];
    if (value === undefined || String(value) === 'false') return [];
    const option = String(value) === 'true' ? [`-${name}`] : [`-${name}`, name === 'crop' ? oneRegion(String(value)) : String(value)];
    return LEAVES_CANVAS.has(name) ? [...option, '+repage'] : option;
  });
}

function overlay(watermark: Watermark, target: Size | null, file: BuildRequest['watermark']): readonly string[] {
  const coder = findReadCoder(file?.fileExtension ?? null);
  if (coder === null) throw new Refusal('The watermark is missing or is not a supported image.');
  const { width, margin } = watermarkWidth(watermark, target);
  const gravity = watermarkGravity(watermark, 'gravity');
  const { x, y } = placeOf(gravity);
  return [
    ...['(', `${coder}:${WATERMARK}[0]`, ...(width === null ? [] : ['-resize', `${width}x`]), ')'],
    ...['-gravity', gravity, '-geometry', `+${x === 'middle' ? 0 : margin}+${y === 'middle' ? 0 : margin}`, '-composite'],
  ];
}

/** Returns the size of ImageMagick's result; null: unknown, or it depends on the content (rotate, trim). */
export function imageTargetSize(command: Parameters, source: SourceFacts): Size | null {
  let size = displaySize(source);
  if (size === null || command.trim === true || Number(command.rotate ?? 0) % 180 !== 0) return null;
  size = within(size, command.crop);
  size = resize(size, command.resize ?? command.thumbnail);
  return command.extent === undefined ? size : readBox(command.extent, size);
}

/** Reads width and height of a geometry; an absent side keeps its size. */
function readBox(geometry: Parameters[string] | undefined, size: Size): Size {
  const [, width, height] = /^(\d*)x(\d*)/.exec(String(geometry)) ?? [];
  return { width: Number(width) || size.width, height: Number(height) || size.height };
}

function within(size: Size, geometry: Parameters[string] | undefined): Size {
  if (geometry === undefined) return size;
  const box = readBox(geometry, size);
  return { width: Math.min(size.width, box.width), height: Math.min(size.height, box.height) };
}

function resize(size: Size, geometry: Parameters[string] | undefined): Size {
  const text = String(geometry ?? '');
  const percent = /^(\d+)%$/.exec(text)?.[1];
  if (percent !== undefined) return scale(size, Number(percent) / 100);
  const [, width, height] = /^(\d*)x(\d*)/.exec(text) ?? [];
  if (!width && !height) return size;
  if (text.endsWith('!')) return readBox(text, size);
  const factors = [width, height].flatMap((side, index) => (side ? [Number(side) / (index === 0 ? size.width : size.height)] : []));
  const factor = text.endsWith('^') ? Math.max(...factors) : Math.min(...factors);
  if ((text.endsWith('>') && factor > 1) || (text.endsWith('<') && factor < 1)) return size;
  return scale(size, factor);
}

const scale = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});
