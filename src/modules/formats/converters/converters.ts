import type { FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';
import { cliConverter } from './cli.converter.js';
import type { ConverterDescriptor } from './converter.js';
import { ffmpegConverter } from './ffmpeg/ffmpeg.converter.js';
import { ffprobeConverter } from './ffprobe.converter.js';
import { imagemagickConverter } from './imagemagick/imagemagick.converter.js';
import { officeConverter } from './office/office.converter.js';
import { copyConverter, originalConverter } from './unconverted.converters.js';

/** All converters; one line each. */
const DESCRIPTORS = [
  ffmpegConverter,
  ffprobeConverter,
  imagemagickConverter,
  officeConverter,
  cliConverter,
  originalConverter,
  copyConverter,
] as const;

/** What a format is made with. */
export type Converter = (typeof DESCRIPTORS)[number]['name'];
export const CONVERTERS: readonly Converter[] = DESCRIPTORS.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, ConverterDescriptor> = new Map(DESCRIPTORS.map((descriptor) => [descriptor.name, descriptor]));

export function getConverter(name: Converter): ConverterDescriptor {
  const descriptor = BY_NAME.get(name);
  if (!descriptor) throw new Error(`Unknown converter: ${name}`);
  return descriptor;
}

/** The programs that a format needs; a machine that lacks one of them cannot make it. */
export function programsOf(name: Converter, settings: FormatSettings, command: Parameters): readonly string[] {
  return getConverter(name).programs(settings, command);
}

/** Why a parameter is never passed to its converter, even if a blueprint or an administrator allows it; null: it is safe. */
export function findParameterProblem(name: Converter, parameter: string, value: unknown): string | null {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return 'its value must be a text, a number or a boolean';
  const isAllowed = getConverter(name).parameters.get(parameter);
  if (!isAllowed) return `not a parameter that ${name} is given`;
  return isAllowed(String(value)) ? null : `not a value that ${name} is given for it`;
}
