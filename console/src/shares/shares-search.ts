export const KINDS = ['embed', 'download', 'dropsite'] as const;
export type ShareKind = (typeof KINDS)[number];

/** What the address of the shares says. Absent: active embed links. */
export interface SharesSearch {
  readonly kind?: Exclude<ShareKind, 'embed'>;
  readonly state?: 'ended' | 'all';
}

/** Reads the query of an address; what it does not know is left out. */
export function readSharesSearch({ kind, state }: Record<string, unknown>): SharesSearch {
  return {
    ...(kind === 'download' || kind === 'dropsite' ? { kind } : {}),
    ...(state === 'ended' || state === 'all' ? { state } : {}),
  };
}
