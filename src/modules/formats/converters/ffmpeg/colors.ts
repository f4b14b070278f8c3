import type { Parameters } from '../../format-settings.js';
import type { SourceColor, SourceFacts } from '../converter.js';
import { type FilterNode, filter, type OutputKind } from './filter-graph.js';

/** PQ (SMPTE ST 2084) and HLG (ARIB STD-B67), as ffmpeg names them. */
const HDR_TRANSFERS = new Map([
  ['smpte2084', 'PQ'],
  ['arib-std-b67', 'HLG'],
]);
/** Primaries that look like those of BT.709 on any screen. */
const USUAL_PRIMARIES = new Set(['bt709', 'bt470bg', 'smpte170m', 'smpte240m']);
/** The names that ffmpeg's filter `scale` gives to matrices. */
const MATRICES = new Map([
  ...['bt709', 'fcc', 'smpte170m', 'smpte240m'].map((name) => [name, name] as const),
  ['bt470bg', 'bt470'],
  ['bt2020nc', 'bt2020'],
  ['bt2020c', 'bt2020'],
]);
/** Lines of a picture in standard definition, whose matrix is BT.601 unless the file states another. */
const SD_LINES = 576;

/** Filters of a format that convert colours themselves. */
const CONVERTING = new Set(['zscale', 'tonemap']);

/** Whether the filters of a format convert the colours, so that nothing else does. */
export const convertsColors = (names: readonly string[]): boolean => names.some((name) => CONVERTING.has(name));

/** The matrix of a film as the filter `scale` names it: as stated, else by its lines (ITU-R BT.601 and BT.709). */
function matrixOf({ color, height }: Pick<SourceFacts, 'color' | 'height'>): string {
  return MATRICES.get(color?.matrix ?? '') ?? (height !== null && height <= SD_LINES ? 'smpte170m' : 'bt709');
}

/**
 * Returns the filters that bring the colours of a film to standard dynamic range with the primaries of BT.709 (contract section 13.7, Films); empty:
 * the film has them. They run after the scaling, because they take time.
 */
function toStandardColors({ color }: Pick<SourceFacts, 'color'>): readonly FilterNode[] {
  if (color === null) return [];
  const hdr = HDR_TRANSFERS.get(color.transfer ?? '');
  if (hdr !== undefined) return toneMapping(color, `HDR source (${hdr}): mapped to the range and colours of BT.709`);
  if (color.primaries === null || USUAL_PRIMARIES.has(color.primaries)) return [];
  const { transfer, primaries, matrix, range } = color;
  const stated = { tin: transfer ?? 'bt709', pin: primaries, min: matrix ?? 'bt709', ...(range === 'pc' && { rin: 'full' }) };
  const reason = `source with the primaries ${primaries}: converted to BT.709`;
  return [filter('zscale', { ...stated, t: 'bt709', p: 'bt709', m: 'bt709', r: 'limited' }, reason)];
}

function toneMapping({ transfer, primaries, matrix }: SourceColor, reason: string): readonly FilterNode[] {
  return [
    filter('zscale', { t: 'linear', npl: 100, tin: transfer ?? '', pin: primaries ?? 'bt2020', min: matrix ?? 'bt2020nc' }, reason),
    filter('format', { pix_fmts: 'gbrpf32le' }, reason),
    filter('zscale', { p: 'bt709' }, reason),
    filter('tonemap', { tonemap: 'hable', desat: 0 }, reason),
    filter('zscale', { t: 'bt709', m: 'bt709', r: 'limited' }, reason),
  ];
}

/** The colours of a result: matrix, range and pixel format as ffmpeg's filters name them. */
interface ColorTarget {
  /** Null: RGB. */
  readonly matrix: string | null;
  readonly range: 'tv' | 'pc';
  /** Null: whichever the encoder takes. */
  readonly pixels: string | null;
}

const RGB: ColorTarget = { matrix: null, range: 'pc', pixels: 'rgb24' };

/** JPEG (JFIF 1.02) means the matrix of BT.601 with full range, and WebP (RFC 9649, section 2) the same with limited range. */
const PICTURE_TARGETS: Readonly<Record<string, ColorTarget>> = {
  jpg: { matrix: 'bt601', range: 'pc', pixels: 'yuvj420p' },
  webp: { matrix: 'bt601', range: 'tv', pixels: 'yuv420p' },
};

function targetOf({ pix_fmt }: Parameters, kind: OutputKind, filetype: string): ColorTarget {
  if (kind.holds === 'image') return PICTURE_TARGETS[filetype] ?? RGB;
  if (filetype === 'gif') return RGB;
  return { matrix: 'bt709', range: 'tv', pixels: pix_fmt === undefined ? null : String(pix_fmt) };
}

/** What the colours of a result depend on. */
export interface ColorRequest {
  readonly command: Parameters;
  readonly kind: OutputKind;
  readonly filetype: string;
  readonly source: SourceFacts;
}

/** Returns the filters that scale a film (`box` has the options of `scale`) and give its result the right colours. */
export function scaledInColors(box: FilterNode['options'], request: ColorRequest): readonly FilterNode[] {
  const { command, kind, filetype, source } = request;
  const standard = toStandardColors(source);
  const target = targetOf(command, kind, filetype);
  const format = target.pixels === null ? [] : [filter('format', { pix_fmts: target.pixels })];
  if (standard.length > 0) {
    const again = `BT.709: converted to ${target.matrix ?? 'RGB'}`;
    const isFilm = target.matrix === 'bt709' && target.range === 'tv';
    const colors = isFilm ? [] : [filter('format', { pix_fmts: 'yuv444p' }, again), filter('scale', convert('bt709', target), again)];
    return [filter('scale', box), ...standard, ...colors, ...format];
  }
  // The matrices of two sides in RGB must be equal, because ffmpeg may convert them by way of YUV.
  const matrix = source.color?.matrix === 'gbr' ? (target.matrix ?? 'bt709') : matrixOf(source);
  const options = { ...box, in_range: source.color?.range ?? 'auto', ...convert(matrix, target) };
  return [filter('scale', options, reasonFor(source, target)), ...format];
}

/** Returns the options of `scale` that convert from a matrix. */
const convert = (from: string, { matrix, range }: ColorTarget): FilterNode['options'] => ({
  in_color_matrix: from,
  out_color_matrix: matrix ?? from,
  out_range: range,
});

function reasonFor(source: SourceFacts, target: ColorTarget): string {
  const stated = source.color?.matrix ? `source with the matrix ${source.color.matrix}` : 'source without a stated matrix';
  return `${stated}: converted to ${target.matrix ?? 'RGB'}`;
}

/** Transfers that are BT.709's under other names. */
const SAME_TRANSFERS = new Set(['bt709', 'smpte170m', 'bt2020-10', 'bt2020-12']);

/** Returns the options that state the colours of a film in its rendition. What the format states itself is left to it. */
export function colorOptions({ command, source }: Pick<ColorRequest, 'command' | 'source'>): readonly string[] {
  const isConverted = toStandardColors(source).length > 0;
  const { primaries, transfer } = (isConverted ? null : source.color) ?? { primaries: null, transfer: null };
  const stated = {
    color_range: 'tv',
    colorspace: 'bt709',
    color_primaries: primaries ?? 'bt709',
    color_trc: transfer === null || SAME_TRANSFERS.has(transfer) ? 'bt709' : transfer,
  };
  return Object.entries(stated).flatMap(([name, value]) => (name in command || `${name}:v` in command ? [] : [`-${name}`, value]));
}
