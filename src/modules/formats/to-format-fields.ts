import type { FormatFields } from './format-fields.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';

/** Two spellings of one file type: what is sent → what is meant. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['tif', 'tiff'],
]);

/** What callers say of a format, in one spelling: raw parameters from the deprecated `command` too, the file type in small letters without dot. */
export function toFormatFields({ name, usage, settings, configuration, command, type }: FormatFieldsDto): FormatFields {
  const filetype = typeof settings?.filetype === 'string' ? toFiletype(settings.filetype) : settings?.filetype;
  return {
    name,
    usage,
    settings: settings && { ...settings, ...(filetype !== undefined && { filetype }) },
    configuration: configuration && { ...configuration },
    raw: { ffmpeg: command?.ffmpeg, imagemagick: command?.imagemagick },
    type,
  } as FormatFields; // what the DTOs let through; their null members are cleared before anything is stored
}

function toFiletype(sent: string): string {
  const extension = sent.replace(/^\./, '').toLowerCase();
  return SYNONYMS.get(extension) ?? extension;
}
