import type { Converter, FormatSettings, Parameters } from '../format-settings.js';
import type { ProgramName } from './invocation.js';
import { PAGE_TYPES } from './office/build-office.js';

/** A program of the operator's, among those of the service. */
export const cliProgram = (tool: string): string => `${CLI_PREFIX}${tool}`;
export const CLI_PREFIX = 'cli:';

const IMAGE_TYPES = new Set(['jpg', 'png', 'webp', 'gif', 'tiff']);

/** The programs that a format needs; a machine without one of them cannot make it. */
export function programsOf(converter: Converter, { filetype = '' }: FormatSettings, command: Parameters): readonly string[] {
  const metadata: readonly ProgramName[] = IMAGE_TYPES.has(filetype) ? ['exiftool'] : [];
  switch (converter) {
    case 'ffmpeg':
      return ['ffmpeg', 'ffprobe', ...metadata];
    case 'ffprobe':
      return ['ffprobe'];
    case 'imagemagick':
      return ['convert', 'ffprobe', ...metadata];
    case 'officeDocument':
      return PAGE_TYPES.has(filetype) ? ['soffice', 'pdftoppm', 'ffprobe', ...metadata] : ['soffice'];
    case 'cli':
      return [cliProgram(String(command.tool ?? '')), ...metadata];
    case 'original':
    case 'copy':
      return [];
  }
}
