import type { FreePlace } from './transcodings.repository.js';

/** A transcoding that has a place. */
export interface PlacedWork {
  readonly isLong: boolean;
  readonly customerId: number;
}

/**
 * The number of places for each kind of work: half of the cores, shared by the web processes, because programs use several cores and requests must
 * still be answered; and the last place, which is kept for others (findFreePlace).
 */
export const placesOf = (cores: number, webProcesses: number): number => Math.max(1, Math.floor(cores / 2 / webProcesses)) + 1;

/**
 * The next free place for a kind of work; null: all are taken. The last one is not for work that is expected to take longer than `lastPlaceSeconds`,
 * and if it is for short work, not for customers who have another one: whatever a customer uploads, the next short work of others starts at once.
 */
export function findFreePlace(
  isLong: boolean,
  taken: readonly PlacedWork[],
  { places, lastPlaceSeconds }: { readonly places: number; readonly lastPlaceSeconds: number },
): FreePlace | null {
  const ofKind = taken.filter((work) => work.isLong === isLong);
  if (ofKind.length >= places) return null;
  if (ofKind.length < places - 1) return { isLong, maxExpectedSeconds: null, withoutCustomers: [] };
  return { isLong, maxExpectedSeconds: lastPlaceSeconds, withoutCustomers: isLong ? [] : ofKind.map(({ customerId }) => customerId) };
}
