import { MEDIA_TYPES, type MediaType } from '../library/library-search';

/** What the address of the player configurations says. Absent: for all types of media. */
export interface ConfigurationsSearch {
  readonly type?: MediaType;
}

export function readConfigurationsSearch({ type }: Record<string, unknown>): ConfigurationsSearch {
  const known = MEDIA_TYPES.find((value) => value === type);
  return known ? { type: known } : {};
}

/** What the address of one player configuration says: the medium that its preview shows. */
export interface ConfigurationSearch {
  readonly medium?: number;
}

export const readConfigurationSearch = ({ medium }: Record<string, unknown>): ConfigurationSearch =>
  Number.isInteger(medium) ? { medium: medium as number } : {};
