import type { Converter } from '../format-settings.js';
import { CLI_PARAMETERS } from './cli/cli-parameters.js';
import { FFMPEG_PARAMETERS } from './ffmpeg/ffmpeg-parameters.js';
import { IMAGEMAGICK_PARAMETERS } from './imagemagick/imagemagick-parameters.js';
import { OFFICE_PARAMETERS } from './office/office-parameters.js';
import type { ParameterRules } from './parameter-rule.js';

const NONE: ParameterRules = new Map();
const RULES: Readonly<Record<Converter, ParameterRules>> = {
  ffmpeg: FFMPEG_PARAMETERS,
  ffprobe: NONE,
  imagemagick: IMAGEMAGICK_PARAMETERS,
  officeDocument: OFFICE_PARAMETERS,
  cli: CLI_PARAMETERS,
  original: NONE,
  copy: NONE,
};

/**
 * Why a parameter is never handed to its converter, whatever a blueprint allows and whoever asks; null: it is safe. `value` is whatever was
 * stored.
 */
export function findParameterProblem(converter: Converter, command: string, value: unknown): string | null {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return 'its value must be a text, a number or a boolean';
  const rule = RULES[converter].get(command);
  if (!rule) return `not a parameter that ${converter} is given`;
  return rule(String(value)) ? null : `not a value that ${converter} is given for it`;
}
