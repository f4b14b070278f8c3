import { isColor } from '../../../shared/color.js';
import type { Watermark } from '../format-settings.dto.js';
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
  Refusal,
  type Size,
  SOURCE,
  type SourceFacts,
  type Step,
  type Unusable,
  WATERMARK,
} from './converter.js';
import { decodeImage, inputOf, LIMITS } from './decode-image.js';
import { watermarkGravity, watermarkShare } from './place.js';
import { buildSharp, encodingOf, findSharpObstacles, type ImagePlan, MAX_PIXELS, planImage, shapeOf } from './sharp-job.js';

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
 * The operators and settings of images, by ImageMagick's names, and `profile`; buildImage determines their order. These are excluded, because they read or write
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
  ['profile', oneOf('srgb', 'keep')],
]);

/** The file types of results, and ImageMagick's names of them. */
const WRITTEN_CODERS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tiff', 'tiff'],
  ['avif', 'avif'],
]);
/** The file types that hold animations. libvips writes AVIF with one picture only. */
const ANIMATED = new Set(['webp', 'gif']);

/** The file types that hold 16 bits. */
const DEEP = new Set(['png', 'tiff']);

/** The order of operators, regardless of the order in which they were sent: first those that decide the shape, then improvements. */
const DRAWING = [
  ...['crop', 'rotate', 'flip', 'flop', 'trim', 'resize', 'thumbnail', 'extent'],
  ...['blur', 'sharpen', 'unsharp', 'normalize', 'brightness-contrast', 'modulate', 'gamma', 'colors'],
];
const WRITING = ['depth', 'density', 'interlace', 'sampling-factor', 'quality', 'define'];
/** The image for ImageMagick: upright, in sRGB, without loss. And its result, if sharp writes the file. */
const SHAPED = 'shaped';
const DRAWN = 'drawn';
/** Barely compressed: it is read once. */
const LOSSLESS = { format: 'png', options: { compressionLevel: 1 } };
/** Operators that leave a virtual canvas larger than the image. */
const LEAVES_CANVAS = new Set(['crop', 'rotate', 'trim']);

/** Makes images with sharp. What sharp does not have (annotations, raw parameters) ImageMagick adds to the upright image in sRGB. */
export const imagemagickConverter = {
  name: 'imagemagick',
  parameters: IMAGEMAGICK_PARAMETERS,
  filetypes: [...WRITTEN_CODERS.keys()],
  source: 'measured',
  result: 'media',
  programs: (settings, command) => [
    'sharp',
    ...(findSharpObstacles(settings, command).length > 0 ? ['convert'] : []),
    ...metadataPrograms(settings),
  ],
  findSharpObstacles,
  build: buildImage,
  explainFailure,
} as const satisfies ConverterDescriptor;

/** What libvips, libheif, ffmpeg and the decoders of ImageMagick say about a damaged image. */
const DAMAGE = [
  /^(Input file has corrupt header|vips(jpeg|png): |(heif|webp|gifload): |tiff2vips|Could not (read|decode))/im,
  /^convert: (improper image header|unable to decode image|insufficient image data|unexpected end-of-file|corrupt image)/im,
  /Invalid data found when processing input/,
];
/** What they say about a kind of image that they do not know, which may be whole. */
const UNKNOWN_KIND = [
  /Input file contains unsupported/i,
  /unsupported|not supported|no decode delegate|unknown photometric|bad \w+ format/i,
];
/** The sentences of run-sharp.cjs: about the original, and about the settings of the format. */
const TOO_LARGE =
  /^The image (has [\d,]+ million pixels; the limit is \d+ million|can only be decoded as a whole, and is too large for that)\.$/m;
const REFUSED =
  /^(Nothing of the image is in the part that is cut out\.|The watermark is outside of the image\.|The watermark cannot be read.*)$/m;

const DAMAGED = 'The picture cannot be read because it is damaged. Upload it again.';
const OTHER_KIND = 'The picture is of a kind that cannot be converted. Export it as a JPEG or PNG, and upload that.';
const UNKNOWN = 'The picture cannot be converted. Upload it again, or exported as a JPEG or PNG.';

/** Explains why no image was made. It is called damaged only if a decoder says so. */
function explainFailure(program: Step['program'], log: string): Unusable | null {
  const unreadable = (reason: string): Unusable => ({ code: 'source_unreadable', reason });
  const [large] = TOO_LARGE.exec(log) ?? [];
  if (large !== undefined) return unreadable(large);
  const [refused] = REFUSED.exec(log) ?? [];
  if (refused !== undefined) return { code: 'transcoding_refused', reason: refused };
  if (/^convert: width or height exceeds limit/m.test(log))
    return unreadable('An image of this type may have 16,000 pixels a side. Upload it as a JPEG, PNG or TIFF.');
  if (UNKNOWN_KIND.some((words) => words.test(log))) return unreadable(OTHER_KIND);
  if (DAMAGE.some((words) => words.test(log))) return unreadable(DAMAGED);
  // ImageMagick also draws by the parameters of the format, which may be the cause.
  return program === 'convert' ? null : unreadable(UNKNOWN);
}

/** Builds the runs that make an image: decode it if sharp cannot, shape it, draw with ImageMagick what sharp does not have, and write the result. */
function buildImage(request: BuildRequest): Invocation {
  const { command, settings, source, programs, xmp } = request;
  const { filetype = '', annotation } = settings;
  if (source.mediaType !== 'image') throw new Refusal('Only images can be converted to images.');
  if (!WRITTEN_CODERS.has(filetype)) throw new Refusal(`Images of the type ${JSON.stringify(filetype)} cannot be made.`);
  const plan = planImage(settings, command);
  const needsImageMagick = annotation !== undefined || plan.drawing.length > 0 || plan.isWrittenByImageMagick;
  const animated = ANIMATED.has(filetype) && !needsImageMagick;
  const image = decodeImage({ file: SOURCE, extension: source.fileExtension, programs, animated });
  for (const program of ['sharp', ...(needsImageMagick ? (['convert'] as const) : [])] as const) {
    if (!programs.includes(program)) throw new MissingProgram(program);
  }
  const mark = settings.watermark ? markOf(settings.watermark, request) : null;
  const output = `output.${filetype}`;
  // A watermark is drawn before a text, but is neither turned nor blurred.
  const marksLast = plan.drawing.length > 0 && !plan.isWrittenByImageMagick;
  const colors = {
    ...(Number(command.depth) === 16 && DEEP.has(filetype) && { deep: true }),
    ...(command.profile === 'keep' && { keepsProfile: true }),
  };
  const watermark = mark ? { watermark: mark.job } : {};
  const encoding = { ...colors, ...encodingOf(filetype, command), ...(xmp !== null && filetype !== 'gif' && { xmp }), output };
  const first = { ...inputOf(image), ...shapeOf(plan, command, filetype), ...(marksLast ? {} : watermark) };
  const draw = drawStep(request, plan, output);
  const lacking = findSharpObstacles(settings, command).join(', ');
  const made = needsImageMagick
    ? [
        because(
          'sharp makes the image upright and in sRGB for ImageMagick',
          buildSharp({ ...first, ...colors, ...LOSSLESS, output: SHAPED }),
        ),
        because(`ImageMagick adds what sharp does not have: ${lacking}`, draw),
        ...(plan.isWrittenByImageMagick ? [] : [buildSharp({ input: DRAWN, type: 'png', ...(marksLast ? watermark : {}), ...encoding })]),
      ]
    : [because('sharp has everything that this format needs', buildSharp({ ...first, ...(animated && { animated }), ...encoding }))];
  const inputs = { source: SOURCE, watermark: mark ? WATERMARK : null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [...image.steps, ...(mark?.steps ?? []), ...made], output };
}

const because = (reason: string, step: Step): Step => ({ ...step, reason });

/** The watermark for sharp, and the steps that decode it. */
function markOf(watermark: Watermark, { watermark: asset, programs }: BuildRequest) {
  if (asset === null) throw new Refusal('The watermark is missing or is not a supported image.');
  const image = decodeImage({ file: WATERMARK, extension: asset.fileExtension, programs });
  const { percent, margin } = watermarkShare(watermark);
  const gravity = watermarkGravity(watermark, 'gravity');
  return { steps: image.steps, job: { ...inputOf(image), percent, margin, gravity, maxPixels: MAX_PIXELS } };
}

/** ImageMagick's run on the shaped image. It keeps the profile and no other metadata. */
function drawStep({ command, settings, source }: BuildRequest, plan: ImagePlan, output: string): Step {
  const { annotation, filetype = '' } = settings;
  const { background, gravity } = command;
  const ground = background ?? (filetype === 'jpg' ? 'white' : undefined);
  const argv = [
    ...LIMITS,
    // Temporary files stay in the folder and are removed with it.
    ...['-define', 'registry:temporary-path=.', `png:${SHAPED}`],
    ...(ground === undefined ? [] : ['-background', toImageMagickColor(String(ground))]),
    ...(gravity === undefined ? [] : ['-gravity', String(gravity)]),
    ...operators(
      command,
      DRAWING.filter((name) => plan.drawing.includes(name)),
    ),
    ...(annotation ? annotate(annotation, imageTargetSize(command, source)) : []),
    ...['+profile', '!icc,*'],
    ...(plan.isWrittenByImageMagick ? [...operators(command, WRITING), `${WRITTEN_CODERS.get(filetype)}:${output}`] : [`png:${DRAWN}`]),
  ];
  return { program: 'convert', argv, stdout: null };
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
