import type { ContainerType } from '../media/index.js';
import { requirementsOf } from './converters/alternatives.js';
import { getConverter, programsOf } from './converters/converters.js';
import type { Drawing } from './converters/ffmpeg/drawings.js';
import { type MergedParameters, mergeParameters } from './converters/merge-parameters.js';
import type { Format } from './format.entity.js';
import type { VisibleFormats } from './format-reader.service.js';

/** Commands by format: each is merged once, because the cache returns the same object until the format changes. */
const merged = new WeakMap<Format, MergedParameters>();

/** Returns the final command of a format and the source of each parameter; a blueprint has its own command. */
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

/** Returns the drawing that a format makes of the whole media; null: the format is no drawing. */
export function drawingOf(format: Format, { byId }: Pick<VisibleFormats, 'byId'>): Drawing | null {
  if (format.converter !== 'ffmpeg') return null;
  return (commandOf(format, byId.get(format.blueprintId ?? 0) ?? null).command.draw as Drawing | undefined) ?? null;
}

/** Requirements by format, determined once like the command. */
const requirementsByFormat = new WeakMap<Format, readonly string[]>();

/** Returns what a machine needs to make a format (requirementsOf). */
export function requirementsOfFormat(format: Format, { byId }: VisibleFormats): readonly string[] {
  const found = requirementsByFormat.get(format);
  if (found) return found;
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  const requirements = requirementsOf(format.converter, format.settings, command);
  requirementsByFormat.set(format, requirements);
  return requirements;
}

/** Returns whether making a format of containers of a type is long work (ConverterDescriptor.isLong). */
export function isLongWork(format: Format, { byId }: Pick<VisibleFormats, 'byId'>, type: ContainerType): boolean {
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  return getConverter(format.converter).isLong?.(command, format.settings, type) ?? false;
}

/** Returns the programs that make a format, `cli:<name>` for a tool of the operator. */
export function programsOfFormat(format: Format, { byId }: VisibleFormats): readonly string[] {
  return programsOf(format.converter, format.settings, commandOf(format, byId.get(format.blueprintId ?? 0) ?? null).command);
}

/** Returns what sharp cannot do of an image format, so that it needs ImageMagick; null: ImageMagick does not make the format. */
export function sharpObstaclesOf(format: Format, { byId }: VisibleFormats): readonly string[] | null {
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  return getConverter(format.converter).findSharpObstacles?.(format.settings, command) ?? null;
}
