import { type MergedParameters, mergeParameters } from './command/merge-parameters.js';
import type { Format } from './format.entity.js';

/** Each version of a format is merged once: readers hand out the same object until it changes. */
const merged = new WeakMap<Format, MergedParameters>();

/** The final command of a format with what became of each parameter; a blueprint's is its own. */
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
