/**
 * Compares by the bytes of UTF-8, as S3 sorts. JavaScript compares UTF-16, which differs where one side has a surrogate (a character
 * beyond U+FFFF) and the other a character from U+E000.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  if (index === length) return a.length - b.length;
  return rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10_000 : unit);

/** Where in a sorted list the first element stands that is not before `key`; with `after` the first one behind it. */
export function positionOf(sorted: readonly string[], key: string, { after = false } = {}): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareKeys(sorted[middle] ?? '', key);
    if (order < 0 || (after && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
