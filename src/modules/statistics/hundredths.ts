/** The hundredths of a film that were seen, as bits: 1 is the first hundredth. */
export type Hundredths = bigint;

const COUNT = 100;

export const NONE_SEEN: Hundredths = 0n;

/** The hundredths of a film of `length` whose middle lies in a period; all three in the same unit. */
export function hundredthsOf({ from, to }: { readonly from: number; readonly to: number }, length: number): Hundredths {
  if (!(length > 0)) return NONE_SEEN;
  const first = Math.max(0, Math.ceil((from / length) * COUNT - 0.5));
  const end = Math.min(COUNT, Math.ceil((to / length) * COUNT - 0.5));
  return first >= end ? NONE_SEEN : ((1n << BigInt(end - first)) - 1n) << BigInt(first);
}

/** Parses 25 hexadecimal digits, the highest hundredth first. */
export const parseHundredths = (digits: string): Hundredths => BigInt(`0x${digits}`);

/** One digit for each hundredth, the first one first, as PostgreSQL stores them. */
export const toBits = (seen: Hundredths): string => [...seen.toString(2).padStart(COUNT, '0')].toReversed().join('');

export const countSeen = (seen: Hundredths): number => toBits(seen).replaceAll('0', '').length;
