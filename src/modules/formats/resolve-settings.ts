import type { Format } from './format.entity.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.js';

/**
 * The settings that count for a format: its own; what they leave open its deprecated `configuration` says; then what it is made of and into
 * what is the blueprint's, and it is used in players.
 */
export function resolveSettings(
  { settings, configuration }: Pick<Format, 'settings' | 'configuration'>,
  blueprint: Format | null,
): FormatSettings {
  const { mediaTypes, filetype } = blueprint?.settings ?? {};
  const { transcodingCreateNotAllowed: _, ...rest }: FormatConfiguration = configuration ?? {};
  return {
    ...(mediaTypes && { mediaTypes }),
    ...(filetype && { filetype }),
    useInPlayer: true,
    ...withoutNull(rest),
    ...withoutNull(settings),
  };
}

/** Keys that were cleared are as good as absent. */
const withoutNull = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<T>;
