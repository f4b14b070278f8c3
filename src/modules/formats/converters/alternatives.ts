import type { FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';
import { type Converter, getConverter } from './converters.js';

/** The program that comes with the service and makes images if others are missing. */
const SUBSTITUTE = 'sharp';
const SEPARATOR = '|';
/** The programs that it replaces. */
const REPLACED = ['convert', 'ffprobe', 'ffmpeg', 'exiftool'];

/**
 * Returns what a machine needs to make a format: programs, and alternatives such as `convert|sharp`, of which one is sufficient. exiftool is
 * needed for metadata that the format defines; sharp itself can write the metadata of every image, as XMP.
 */
export function requirementsOf(name: Converter, settings: FormatSettings, command: Parameters): readonly string[] {
  const { programs, findSharpObstacles } = getConverter(name);
  const needed = programs(settings, command);
  if (!findSharpObstacles || findSharpObstacles(settings, command).length > 0) return needed;
  const isReplaced = (program: string) => program !== 'exiftool' || (settings.metadata ?? []).length === 0;
  return needed.map((program) => (isReplaced(program) ? `${program}${SEPARATOR}${SUBSTITUTE}` : program));
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

/** Replaces the alternatives to `program` in requirements by the program itself. */
export const strictly = (requirements: readonly string[], program: string): readonly string[] =>
  requirements.map((requirement) => (preferredOf(requirement) === program ? program : requirement));
