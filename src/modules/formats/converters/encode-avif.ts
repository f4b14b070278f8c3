import type { Parameters } from '../format-settings.js';
import type { Step } from './converter.js';
import { MAX_ALLOC, readFrom } from './ffmpeg/ffprobe.converter.js';
import { type FilterChain, filter, writeGraph } from './ffmpeg/filter-graph.js';

const DEFAULT_QUALITY = 60;
/** The worst value of the encoder's scale; 0 is the best. */
const MAX_CRF = 63;
/** From 0 to 8. Smaller values take several times as long and save a few percent. */
const SPEED = 6;
const PIXELS: ReadonlyMap<string, string> = new Map([
  ['4:2:0', 'yuv420p'],
  ['4:2:2', 'yuv422p'],
  ['4:4:4', 'yuv444p'],
]);
/** sRGB, which browsers assume for images, with the matrix of JPEG; stated in the file, so that no program has to guess. */
const SRGB = ['-color_primaries', 'bt709', '-color_trc', 'iec61966-2-1', '-colorspace', 'smpte170m', '-color_range', 'pc'];

interface ShapedImage {
  /** A PNG in the folder. */
  readonly image: string;
  readonly isOpaque: boolean;
  readonly output: string;
}

/**
 * Encodes an image as AVIF with ffmpeg, because the ImageMagick of Debian 12 writes AVIF without transparency. The transparency is a second, grey
 * image in the file.
 */
export function encodeAvif({ quality = DEFAULT_QUALITY, 'sampling-factor': sampling }: Parameters, made: ShapedImage): Step {
  const { image, isOpaque, output } = made;
  const crf = Math.round(((100 - Number(quality)) * MAX_CRF) / 100);
  return {
    program: 'ffmpeg',
    argv: [
      ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-nostats', '-y', '-max_alloc', String(MAX_ALLOC)],
      ...readFrom(image, 'image', ['-f', 'png_pipe']),
      ...['-filter_complex', writeGraph(planes(PIXELS.get(String(sampling)) ?? 'yuv420p', isOpaque))],
      ...['-map', '[picture]', ...(isOpaque ? [] : ['-map', '[transparency]']), '-frames:v', '1', '-map_metadata', '-1'],
      ...['-c:v', 'libaom-av1', '-still-picture', '1', '-crf', String(crf), '-cpu-used', String(SPEED), ...SRGB],
      ...['-f', 'avif', `file:${output}`],
    ],
    stdout: null,
  };
}

function planes(pixels: string, isOpaque: boolean): readonly FilterChain[] {
  const from = ['0:v:0'];
  const scale = [filter('scale', { out_color_matrix: 'bt601', out_range: 'pc' }), filter('format', { pix_fmts: pixels })];
  const picture = { from, filters: scale, to: 'picture' };
  if (isOpaque) return [picture];
  const alpha = [filter('format', { pix_fmts: 'rgba' }), filter('alphaextract'), filter('format', { pix_fmts: 'gray' })];
  return [picture, { from, filters: alpha, to: 'transparency' }];
}
