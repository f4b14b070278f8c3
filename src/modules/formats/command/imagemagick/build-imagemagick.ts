import type { FormatSettings, Parameters, Watermark } from '../../format-settings.js';
import type { Invocation } from '../invocation.js';
import { SOURCE, WATERMARK } from '../job-names.js';
import { placeOf, watermarkGravity } from '../place.js';
import { Refusal } from '../refusal.js';
import type { Size, SourceFacts } from '../source-facts.js';
import { watermarkWidth } from '../watermark-width.js';
import { annotate, toImageMagickColor } from './annotate.js';
import { findReadCoder, WRITTEN_CODERS } from './image-coders.js';
import { imageTargetSize } from './image-target-size.js';

export interface ImagemagickRequest {
  readonly command: Parameters;
  readonly settings: FormatSettings;
  readonly source: SourceFacts;
  /** Of the watermark's image. */
  readonly watermark: { readonly fileExtension: string | null } | null;
}

/** What one run may take; seconds for `time`. Above Debian's own policy nothing of it counts, below it does. */
const LIMITS = { memory: '512MiB', map: '1GiB', disk: '2GiB', area: '128MP', width: '16KP', height: '16KP', time: '120' };
/** In this order, whatever order they were sent in: what shapes the picture, then what improves it. `gravity` is said before them. */
const SHAPING = ['crop', 'rotate', 'flip', 'flop', 'trim', 'resize', 'thumbnail', 'extent'];
const IMPROVING = ['blur', 'sharpen', 'unsharp', 'normalize', 'brightness-contrast', 'modulate', 'gamma', 'colorspace', 'colors'];
const WRITING = ['depth', 'density', 'interlace', 'sampling-factor', 'quality', 'define'];
/** They leave a canvas larger than the picture. */
const LEAVES_CANVAS = new Set(['crop', 'rotate', 'trim']);

/** ImageMagick's run, on the first frame, upright and in sRGB. The command's parameters have been checked. */
export function buildImagemagick({ command, settings, source, watermark }: ImagemagickRequest): Invocation {
  const coder = findReadCoder(source.fileExtension);
  const written = WRITTEN_CODERS.get(String(settings.filetype));
  if (source.mediaType !== 'image') throw new Refusal('ImageMagick takes images only.');
  if (coder === null) throw new Refusal(`Images of the type ${JSON.stringify(source.fileExtension ?? '')} are not taken.`);
  if (written === undefined) throw new Refusal(`ImageMagick makes no ${settings.filetype}.`);
  const target = imageTargetSize(command, source);
  const output = `output.${settings.filetype}`;
  const argv = [
    ...Object.entries(LIMITS).flatMap(([name, limit]) => ['-limit', name, limit]),
    // Temporary files stay in the job's folder and go with it.
    ...['-define', 'registry:temporary-path=.', `${coder}:${SOURCE}[0]`, '-auto-orient', '-colorspace', 'sRGB'],
    ...flatten(command, written),
    ...operators(command, SHAPING),
    ...operators(command, IMPROVING),
    ...(settings.watermark ? overlay(settings.watermark, target, watermark) : []),
    ...(settings.annotation ? annotate(settings.annotation, target) : []),
    // Specification, Metadata rule 4: all metadata is removed; what belongs there is written afterwards.
    '-strip',
    ...operators(command, WRITING),
    `${written}:${output}`,
  ];
  const inputs = { source: SOURCE, watermark: settings.watermark ? WATERMARK : null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [{ program: 'convert', argv, stdout: null }], output };
}

/** What has no transparency gets a ground. */
function flatten({ background, gravity }: Parameters, written: string): readonly string[] {
  const isOpaque = written === 'jpeg';
  const ground = background === undefined && isOpaque ? 'white' : background;
  return [
    ...(ground === undefined ? [] : ['-background', toImageMagickColor(String(ground))]),
    ...(isOpaque ? ['-alpha', 'remove', '-alpha', 'off'] : []),
    ...(gravity === undefined ? [] : ['-gravity', String(gravity)]),
  ];
}

function operators(command: Parameters, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = command[name];
    if (value === undefined || String(value) === 'false') return [];
    const option = String(value) === 'true' ? [`-${name}`] : [`-${name}`, String(value)];
    return LEAVES_CANVAS.has(name) ? [...option, '+repage'] : option;
  });
}

function overlay(watermark: Watermark, target: Size | null, file: ImagemagickRequest['watermark']): readonly string[] {
  const coder = findReadCoder(file?.fileExtension ?? null);
  if (coder === null) throw new Refusal('The watermark is missing, or no image that is taken.');
  const { width, margin } = watermarkWidth(watermark, target);
  const gravity = watermarkGravity(watermark, 'gravity');
  const { x, y } = placeOf(gravity);
  return [
    ...['(', `${coder}:${WATERMARK}[0]`, ...(width === null ? [] : ['-resize', `${width}x`]), ')'],
    ...['-gravity', gravity, '-geometry', `+${x === 'middle' ? 0 : margin}+${y === 'middle' ? 0 : margin}`, '-composite'],
  ];
}
