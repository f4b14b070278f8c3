import type { Watermark } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import { type BuildRequest, Refusal, type Size, type SourceFacts, WATERMARK } from '../converter.js';
import { along, placeOf, watermarkGravity, watermarkWidth } from '../place.js';
import { burnTimecode } from './burn-timecode.js';
import { type ColorRequest, colorOptions, convertsColors, scaledInColors } from './colors.js';
import { filterNames } from './ffmpeg-parameters.js';
import {
  type FilterChain,
  type FilterNode,
  filter,
  isOn,
  type OutputKind,
  reasonsOf,
  type StreamPlan,
  unmixed,
  userFilters,
  writeFilters,
} from './filter-graph.js';
import { fitIntoBounds, squarePixels, squareSize } from './picture-size.js';
import { isResizing, isStreaming, streamedPicture, streamedRate, streamedSize } from './streaming.js';
import { paddedPicture, pictureAt, startOf } from './timing.js';

/** Why nothing is made of the picture of a sound file. */
export const NO_PICTURE = 'The source has no picture. Choose a format without one.';

/** Plans how the picture is made. */
export function planPicture(request: BuildRequest, kind: OutputKind): StreamPlan {
  const { command, settings, timecode, source } = request;
  if (kind.holds === 'audio' || isOn(command, 'vn')) return unmixed(['-vn']);
  if (source.hasVideo === false) throw new Refusal(NO_PICTURE);
  const { watermark } = settings;
  if ([command['c:v'], command.vcodec].includes('copy')) {
    if (watermark || timecode) throw new Refusal('A picture that is copied unchanged cannot have a watermark or timecode.');
    return unmixed(['-map', '0:V:0']);
  }
  const target = targetOf(request);
  // A watermark is drawn on pictures in RGB.
  const filetype = watermark && kind.holds === 'image' ? 'png' : String(settings.filetype);
  const filters = pictureFilters(request, { command, kind, source, filetype }, target);
  const colors = kind.holds === 'video' && kind.muxer !== 'gif' ? colorOptions(request) : [];
  if (!watermark) return { ...unmixed(['-map', '0:V:0', '-vf', writeFilters(filters), ...colors]), reasons: reasonsOf(filters) };
  const chains = overlayWatermark({ watermark, target, picture: filters, input: 1, matrix: kind.holds === 'image' ? 'bt601' : 'bt709' });
  const input = { name: WATERMARK, holds: 'image' } as const;
  return { options: ['-map', '[picture]', ...colors], chains, input, reasons: reasonsOf(chains.flatMap((chain) => chain.filters)) };
}

/** The size of the picture; null: the format's own filters decide it. */
function targetOf({ command, source }: BuildRequest): Size | null {
  if (isStreaming(command)) return streamedSize(command, source);
  return isResizing(command) ? null : squareSize(command, source);
}

/** Returns the filters of the picture in their order: fields, the format's own, time, size and colours, the timecode. */
function pictureFilters(request: BuildRequest, colors: ColorRequest, target: Size | null): readonly FilterNode[] {
  const { command, timecode, source } = request;
  const { kind } = colors;
  const before = [...deinterlacing(command, source), ...userFilters(command.vf, 'video')];
  if (isStreaming(command)) {
    if (target === null) throw new Refusal('The size of the picture cannot be read.');
    const drawn = timecode ? burnTimecode(timecode, target, { frameRate: streamedRate(source).value }) : [];
    const held = paddedPicture(request).filter(({ name }) => name !== 'fps');
    return [...before, ...streamedPicture(source, target, held), ...scaledInColors(boxOf(target), colors), squarePixels(source), ...drawn];
  }
  const chosen = kind.holds === 'image' ? pictureAt(startOf(command, source), source).filters : [];
  const timed = kind.holds === 'image' ? [] : paddedPicture(request);
  const drawn = timecode ? burnTimecode(timecode, target, source) : [];
  return [...chosen, ...before, ...timed, ...sized(target, colors), ...drawn];
}

const boxOf = ({ width, height }: Size): FilterNode['options'] => ({ w: width, h: height });

/** Scales the picture, with the colours of its result; filters of the format that convert colours or shapes themselves have the last word. */
function sized(target: Size | null, colors: ColorRequest): readonly FilterNode[] {
  const names = filterNames(colors.command);
  const box = target === null ? fitIntoBounds(colors.command) : boxOf(target);
  const scaled = convertsColors(names) ? [filter('scale', box)] : scaledInColors(box, colors);
  const shape = target === null || names.some((name) => name === 'setsar' || name === 'setdar') ? [] : [squarePixels(colors.source)];
  return [...scaled, ...shape];
}

/** Filters of a format that deal with fields themselves. */
const FIELD_FILTERS = new Set(['yadif', 'bwdif', 'w3fdif', 'pullup', 'tinterlace', 'fieldorder', 'phase']);

/** Makes pictures of the fields of an interlaced source, one for each two fields (contract section 13.7, Films). */
export function deinterlacing(command: Parameters, { fieldOrder }: Pick<SourceFacts, 'fieldOrder'>): readonly FilterNode[] {
  if (fieldOrder === null || filterNames(command).some((name) => FIELD_FILTERS.has(name))) return [];
  const parity = fieldOrder === 'top' ? 'tff' : 'bff';
  return [filter('bwdif', { mode: 'send_frame', parity, deint: 'all' }, `interlaced source, ${fieldOrder} field first`)];
}

interface Overlay {
  readonly watermark: Watermark;
  readonly target: Size | null;
  /** Filters of the picture under the watermark. */
  readonly picture: readonly FilterNode[];
  /** Index of the watermark's input. */
  readonly input: number;
  /** The matrix of the picture's colours. */
  readonly matrix: 'bt601' | 'bt709';
}

/** Overlays a watermark on the picture, as the stream `picture`. */
function overlayWatermark({ watermark, target, picture, input, matrix }: Overlay): readonly FilterChain[] {
  const { width, margin } = watermarkWidth(watermark, target);
  const { x, y } = placeOf(watermarkGravity(watermark, 'position'));
  const box: FilterNode['options'] = width === null ? {} : { w: width, h: -1 };
  // Palettes become RGB first: ffmpeg would convert them with another matrix.
  const mark = [
    filter('format', { pix_fmts: 'rgba' }, 'settings.watermark'),
    filter('scale', { ...box, out_color_matrix: matrix }, 'settings.watermark'),
    filter('format', { pix_fmts: 'yuva420p' }, 'settings.watermark'),
  ];
  return [
    { from: ['0:V:0'], filters: picture, to: 'under' },
    { from: [`${input}:v:0`], filters: mark, to: 'mark' },
    {
      from: ['under', 'mark'],
      filters: [
        filter('overlay', { x: along('main_w-overlay_w', x, margin), y: along('main_h-overlay_h', y, margin) }, 'settings.watermark'),
      ],
      to: 'picture',
    },
  ];
}
