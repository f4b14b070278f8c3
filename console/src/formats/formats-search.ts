import { MEDIA_TYPES, type MediaType } from '../library/library-search';

/** What the address of the formats says. Absent: formats for all types of media. */
export interface FormatsSearch {
  readonly type?: MediaType;
}

export function readFormatsSearch({ type }: Record<string, unknown>): FormatsSearch {
  const known = MEDIA_TYPES.find((value) => value === type);
  return known ? { type: known } : {};
}

/** What the address of one format says: the blueprint of a new one, and the medium with which it is explained and tried. */
export interface FormatSearch {
  readonly blueprint?: number;
  readonly medium?: number;
}

export function readFormatSearch({ blueprint, medium }: Record<string, unknown>): FormatSearch {
  return {
    ...(Number.isInteger(blueprint) ? { blueprint: blueprint as number } : {}),
    ...(Number.isInteger(medium) ? { medium: medium as number } : {}),
  };
}
