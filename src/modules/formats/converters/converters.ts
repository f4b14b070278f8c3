import type { FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';
import { cliConverter } from './cli.converter.js';
import type { ConverterDescriptor } from './converter.js';
import { ffmpegConverter } from './ffmpeg/ffmpeg.converter.js';
import { ffprobeConverter } from './ffmpeg/ffprobe.converter.js';
import { imagemagickConverter } from './imagemagick.converter.js';
import { officeConverter } from './office.converter.js';

const UNCONVERTED = { parameters: new Map(), filetypes: null, source: 'any', result: 'any', programs: () => [] } as const;

/** The uploaded file, unchanged. */
const originalConverter = {
  ...UNCONVERTED,
  name: 'original',
  build: () => ({ kind: 'original' }),
} as const satisfies ConverterDescriptor;

/** A copy of the original. */
const copyConverter = {
  ...UNCONVERTED,
  name: 'copy',
  build: () => ({ kind: 'copy' }),
} as const satisfies ConverterDescriptor;

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

/** The name of a converter. */
export type Converter = (typeof DESCRIPTORS)[number]['name'];
export const CONVERTERS: readonly Converter[] = DESCRIPTORS.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, ConverterDescriptor> = new Map(DESCRIPTORS.map((descriptor) => [descriptor.name, descriptor]));

/** Returns the descriptor of a converter. */
export function getConverter(name: Converter): ConverterDescriptor {
  const descriptor = BY_NAME.get(name);
  if (!descriptor) throw new Error(`Unknown converter: ${name}`);
  return descriptor;
}

/** Returns the programs that a format needs. */
export function programsOf(name: Converter, settings: FormatSettings, command: Parameters): readonly string[] {
  return getConverter(name).programs(settings, command);
}

/** Returns why a parameter must not be passed to a converter, even if a blueprint or an administrator allows it; null: it is safe. */
export function findParameterProblem(name: Converter, parameter: string, value: unknown): string | null {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return 'its value must be a string, a number or a boolean';
  const isAllowed = getConverter(name).parameters.get(parameter);
  if (!isAllowed) return `not a parameter that ${name} is given`;
  return isAllowed(String(value)) ? null : `not a value that ${name} is given for it`;
}
