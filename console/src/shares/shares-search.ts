import { readSelected } from '../elements/selection';

export const KINDS = ['embed', 'download', 'dropsite'] as const;
export type ShareKind = (typeof KINDS)[number];

/** What the address of the shares says. Absent: active embed links, nothing selected. */
export interface SharesSearch {
  readonly kind?: Exclude<ShareKind, 'embed'>;
  readonly state?: 'ended' | 'all';
  /** Ids of the shares of this kind. */
  readonly selected?: readonly number[];
}

/** Reads the query of an address; what it does not know is left out. */
export function readSharesSearch({ kind, state, ...query }: Record<string, unknown>): SharesSearch {
  const selected = readSelected(query);
  return {
    ...(kind === 'download' || kind === 'dropsite' ? { kind } : {}),
    ...(state === 'ended' || state === 'all' ? { state } : {}),
    ...(selected && { selected }),
  };
}
