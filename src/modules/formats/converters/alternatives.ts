import type { FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';
import { type Converter, getConverter } from './converters.js';

/** The program that comes with the service and can write the metadata of every image, as XMP. */
const SUBSTITUTE = 'sharp';
const SEPARATOR = '|';
/** The programs that sharp replaces. An earlier version required alternatives to the first three, which transcodings may still wait for. */
const REPLACED = ['convert', 'ffprobe', 'ffmpeg', 'exiftool'];

/**
 * Returns what a machine needs to make a format: programs, and alternatives such as `exiftool|sharp`, of which one is sufficient. exiftool itself is
 * needed for metadata that the format defines, and after ImageMagick.
 */
export function requirementsOf(name: Converter, settings: FormatSettings, command: Parameters): readonly string[] {
  const { programs, findSharpObstacles } = getConverter(name);
  const needed = programs(settings, command);
  if (!findSharpObstacles || findSharpObstacles(settings, command).length > 0 || (settings.metadata ?? []).length > 0) return needed;
  return needed.map((program) => (program === 'exiftool' ? `${program}${SEPARATOR}${SUBSTITUTE}` : program));
}

/** Returns what a machine with these programs offers: the programs, and every alternative that contains one of them. */
export const offeredBy = (programs: readonly string[]): readonly string[] => [
  ...programs,
  ...REPLACED.filter((program) => programs.includes(program) || programs.includes(SUBSTITUTE)).map(
    (program) => `${program}${SEPARATOR}${SUBSTITUTE}`,
  ),
];

/** Returns the preferred program of an alternative; for a single program, the program itself. */
export const preferredOf = (requirement: string): string => requirement.split(SEPARATOR)[0] ?? requirement;
