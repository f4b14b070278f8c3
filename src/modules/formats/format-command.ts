import { requirementsOf } from './converters/alternatives.js';
import { getConverter, programsOf } from './converters/converters.js';
import type { Drawing } from './converters/ffmpeg/drawings.js';
import { type MergedParameters, mergeParameters } from './converters/merge-parameters.js';
import type { Format } from './format.entity.js';
import type { VisibleFormats } from './format-reader.service.js';

/** The command is merged once for each version of a format: the cache returns the same object until the format changes. */
const merged = new WeakMap<Format, MergedParameters>();

/** The final command of a format, and where each parameter came from; a blueprint has a command of its own. */
export function commandOf(format: Format, blueprint: Format | null): MergedParameters {
  const known = merged.get(format);
  if (known) return known;
  const { converter, settings } = format;
  const made = mergeParameters({
    blueprint: (blueprint ?? format).settings,
    custom: blueprint ? settings : {},
    converter,
    mediaTypes: settings.mediaTypes ?? [],
  });
  merged.set(format, made);
  return made;
}

/** What a format draws of the whole media; null: it is a rendition of the media itself. */
export function drawingOf(format: Format, { byId }: Pick<VisibleFormats, 'byId'>): Drawing | null {
  if (format.converter !== 'ffmpeg') return null;
  return (commandOf(format, byId.get(format.blueprintId ?? 0) ?? null).command.draw as Drawing | undefined) ?? null;
}

/** Found once for each version of a format, like its command. */
const requirementsByFormat = new WeakMap<Format, readonly string[]>();

/** What a machine needs to make a format (requirementsOf). */
export function requirementsOfFormat(format: Format, { byId }: VisibleFormats): readonly string[] {
  const found = requirementsByFormat.get(format);
  if (found) return found;
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  const requirements = requirementsOf(format.converter, format.settings, command);
  requirementsByFormat.set(format, requirements);
  return requirements;
}

/** The programs that a format is made with, `cli:<name>` for one of the operator's. */
export function programsOfFormat(format: Format, { byId }: VisibleFormats): readonly string[] {
  return programsOf(format.converter, format.settings, commandOf(format, byId.get(format.blueprintId ?? 0) ?? null).command);
}

/** What of an image format sharp cannot do, so that it needs ImageMagick; null: the format is not made by ImageMagick at all. */
export function sharpObstaclesOf(format: Format, { byId }: VisibleFormats): readonly string[] | null {
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  return getConverter(format.converter).findSharpObstacles?.(format.settings, command) ?? null;
}
