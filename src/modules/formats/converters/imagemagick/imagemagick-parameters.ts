import { isColor } from '../../../../shared/color/index.js';
import { GRAVITIES } from '../../format-settings.js';
import { decimal, flag, integer, matching, oneOf, type ParameterRules } from '../parameter-rules.js';

/** `1920x1080`, `1920x`, `x1080`, `50%`, with ImageMagick's suffixes: `>` only shrinks, `<` only enlarges, `^` fills, `!` exactly. */
const geometry = matching(/\d{1,5}x\d{0,5}[><^!]?|x\d{1,5}[><^!]?|\d{1,3}%/);
const region = matching(/\d{1,5}x\d{1,5}([+-]\d{1,5}[+-]\d{1,5})?!?/);
/** `radius x sigma + gain + threshold` */
const blur = matching(/\d{1,2}(\.\d{1,3})?(x\d{1,2}(\.\d{1,3})?(\+\d{1,2}(\.\d{1,3})?){0,2})?/);
/** Settings of the writers; none of them names a file. */
const DEFINES = [
  'webp:(lossless|method|alpha-quality|auto-filter|image-hint|near-lossless|thread-level)',
  'png:(compression-(level|filter|strategy)|color-type|bit-depth|format)',
  'jpeg:(optimize-coding|dct-method|fancy-upsampling|block-smoothing)',
  'tiff:(alpha|endian|rows-per-strip|predictor)',
];
const define = matching(new RegExp(`(${DEFINES.join('|')})=[a-z0-9]{1,16}`));

/**
 * ImageMagick's operators and settings that are passed on; buildImagemagick decides about their order. These are excluded, because they read or
 * write other files or run programs: write, script, define in general, draw, font files, set, print, process.
 */
export const IMAGEMAGICK_PARAMETERS: ParameterRules = new Map([
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
