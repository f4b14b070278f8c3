import type { FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';
import { type BuildRequest, type Invocation, Refusal, SOURCE, type Step } from './converter.js';

/** The types of images that sharp reads, by the names of ImageMagick's coders. */
const READ = new Set(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif']);

/** The input of the program that makes an image with sharp (run-sharp.cjs). */
interface SharpJob {
  readonly input: string;
  /** One of READ. */
  readonly type: string;
  readonly output: string;
  /** ImageMagick's `-crop`; absent: the whole image. */
  readonly crop?: string;
  readonly gravity?: string;
  /** ImageMagick's geometry; absent: the size is kept. */
  readonly size?: string;
  /** The background colour of a transparent image; absent: it stays transparent. */
  readonly background?: string;
  readonly gray?: boolean;
  /** Metadata to write, as XMP. */
  readonly xmp?: string;
  readonly format: string;
  /** sharp's options for the format. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
}

/** Accepts the values to which sharp gives the same meaning as ImageMagick; parameters without a rule are refused. */
const RULES: Readonly<Record<string, (value: string, filetype: string) => boolean>> = {
  crop: (value) => !value.endsWith('!'),
  gravity: () => true,
  resize: () => true,
  thumbnail: () => true,
  background: (value) => !value.includes('@'),
  quality: (_, filetype) => ['jpg', 'webp', 'avif'].includes(filetype),
  interlace: (value, filetype) => value === 'None' || (value === 'Plane' && filetype === 'jpg'),
  'sampling-factor': (value, filetype) => ['4:2:0', '4:4:4'].includes(value) && ['jpg', 'avif'].includes(filetype),
  colorspace: () => true,
  colors: (_, filetype) => ['png', 'gif'].includes(filetype),
  depth: (value) => value === '8',
  define: (value, filetype) => filetype === 'webp' && WEBP_DEFINE.test(value),
};
const WEBP_DEFINE = /^webp:(lossless|method|alpha-quality)=(true|false|\d+)$/;

/** Returns what sharp cannot do of a format, in terms of the API; empty: it can make the format instead of ImageMagick. */
export function findSharpObstacles(settings: FormatSettings, command: Parameters): readonly string[] {
  const filetype = settings.filetype ?? '';
  const parameters = Object.entries(command).filter(([name, value]) => {
    const isOff = String(value) === 'false';
    return !isOff && !(RULES[name]?.(String(value), filetype) ?? false);
  });
  return [
    ...(['watermark', 'annotation'] as const).filter((name) => settings[name]).map((name) => `settings.${name}`),
    ...parameters.map(([name, value]) => `the parameter ${name} ${value}`),
    ...(command.resize !== undefined && command.thumbnail !== undefined ? ['resize together with thumbnail'] : []),
  ];
}

/** Builds a run that makes an image with sharp alone, without ImageMagick. `coder`: ImageMagick's name of the source's type. */
export function buildSharp({ command, settings, xmp }: BuildRequest, coder: string): Invocation {
  const obstacles = findSharpObstacles(settings, command);
  if (obstacles.length > 0) throw new Refusal(`Without ImageMagick this cannot be made: ${obstacles.join(', ')}.`);
  const filetype = settings.filetype ?? '';
  const output = `output.${filetype}`;
  const { crop, gravity, background } = command;
  const size = command.resize ?? command.thumbnail;
  const ground = filetype === 'jpg' ? (background ?? 'white') : undefined;
  const job: SharpJob = {
    ...{ input: SOURCE, type: coder, output },
    ...(crop !== undefined && { crop: String(crop), gravity: String(gravity ?? 'NorthWest') }),
    ...(size !== undefined && { size: String(size) }),
    ...(ground !== undefined && { background: String(ground) }),
    ...(command.colorspace === 'Gray' && { gray: true }),
    ...(xmp !== null && filetype !== 'gif' && { xmp }),
    ...{ format: filetype === 'jpg' ? 'jpeg' : filetype, options: optionsOf(filetype, command) },
  };
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [sharpStep('make', job)], output };
}

export const canSharpRead = (coder: string): boolean => READ.has(coder);

/** Builds the step that measures an image on machines without ffprobe; `stdout` is the file for `{ width, height }`. */
export const buildSharpProbe = (file: string, coder: string, stdout: string): Step => ({
  ...sharpStep('measure', { input: file, type: coder }),
  stdout,
});

const sharpStep = (task: 'make' | 'measure', job: object): Step => ({ program: 'sharp', argv: [task, JSON.stringify(job)], stdout: null });

function optionsOf(filetype: string, command: Parameters): SharpJob['options'] {
  const { quality, interlace, 'sampling-factor': sampling, colors, define } = command;
  const [, name = '', value = ''] = WEBP_DEFINE.exec(String(define ?? '')) ?? [];
  return {
    ...(quality !== undefined && { quality: Number(quality) }),
    ...(interlace === 'Plane' && { progressive: true }),
    ...(sampling !== undefined && { chromaSubsampling: String(sampling) }),
    ...(colors !== undefined && { colours: Number(colors), ...(filetype === 'png' && { palette: true }) }),
    ...(name === 'lossless' && { lossless: value === 'true' }),
    ...(name === 'method' && { effort: Number(value) }),
    ...(name === 'alpha-quality' && { alphaQuality: Number(value) }),
    // By default sharp compresses TIFF as JPEG.
    ...(filetype === 'tiff' && { compression: 'lzw' }),
  };
}
