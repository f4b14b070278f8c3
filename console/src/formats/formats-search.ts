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
