import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { fieldProblems } from '../../../shared/validation/index.js';
import { type FormatSettings, FormatSettingsDto } from '../format-settings.dto.js';
import { findFont } from './annotate.js';
import { type Converter, getConverter } from './converters.js';

/** A problem of a setting; the members of `path` are separated by dots. */
interface SettingsProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Finds every problem that keeps a converter from working with these settings, whatever the source. It checks stored settings by the rules of the
 * input and those of the converter, because it also runs before a transcoding, where settings may come from an earlier version of the service or
 * the customer's individual configuration.
 */
export function findSettingsProblems(converter: Converter, settings: FormatSettings): readonly SettingsProblem[] {
  const { burnTimecode, annotation, watermark, audioWatermark, testMode } = settings;
  const stored = plainToInstance(FormatSettingsDto, { burnTimecode, annotation, watermark, audioWatermark, testMode });
  return [
    ...findFiletypeProblem(converter, settings.filetype),
    ...fieldProblems(validateSync(stored), 'settings').map(({ path, message }) => ({ path, message: `${message}.` })),
    ...findAnnotationProblems(annotation),
  ];
}

/** Finds values that the input may contain, but that ImageMagick cannot draw. */
function findAnnotationProblems(annotation: FormatSettings['annotation']): SettingsProblem[] {
  const { fill, font } = annotation ?? {};
  const isOpaque = typeof fill !== 'string' || !fill.includes('@');
  const isKnown = typeof font !== 'string' || findFont(font) !== null;
  return [
    ...(isOpaque ? [] : [{ path: 'settings.annotation.fill', message: 'fill must be a colour without an opacity.' }]),
    ...(isKnown
      ? []
      : [{ path: 'settings.annotation.font', message: 'font must be DejaVu-Sans, DejaVu-Serif or DejaVu-Sans-Mono, or its -Bold.' }]),
  ];
}

function findFiletypeProblem(converter: Converter, filetype: unknown): SettingsProblem[] {
  const { filetypes, defaultFiletype } = getConverter(converter);
  if (filetypes === null || filetypes.includes(String(filetype ?? defaultFiletype))) return [];
  return [{ path: 'settings.filetype', message: `filetype must be one of ${filetypes.join(', ')}.` }];
}
