import type { DropsiteState } from './queries';

/** What the address of the dropsites says. Absent: those that accept uploads. */
export interface DropsitesSearch {
  readonly state?: Exclude<DropsiteState, 'active'>;
}

export const readDropsitesSearch = ({ state }: Record<string, unknown>): DropsitesSearch => (state === 'ended' ? { state } : {});
