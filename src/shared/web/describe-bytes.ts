const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size for people: `2.5 MB`; a non-breaking space keeps number and unit on one line. */
export function describeBytes(bytes: number): string {
  if (bytes === 1) return '1\u00a0byte';
  let unit = 0;
  let amount = bytes;
  for (; Math.round(amount * 10) >= 10_000 && unit < UNITS.length - 1; unit += 1) amount /= 1_000;
  return `${unit === 0 ? amount : Number(amount.toFixed(1))}\u00a0${UNITS[unit]}`;
}
