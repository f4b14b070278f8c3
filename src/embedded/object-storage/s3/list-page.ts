import { positionOf } from '../store/key-order.js';

export interface PageRequest {
  readonly prefix: string;
  /** Keys that go on beyond it are shown as one common prefix; empty: none. */
  readonly delimiter: string;
  /** The page begins behind this key or common prefix. */
  readonly after: string;
  /** Of keys and common prefixes together. */
  readonly limit: number;
}

export interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** What the next page begins behind; undefined: this is the last one. */
  readonly last?: string;
}

/** One page of a listing of sorted keys. A common prefix is passed by in one step, however many keys are below it. */
export function listPage(sorted: readonly string[], { prefix, delimiter, after, limit }: PageRequest): Page {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let last: string | undefined;
  let at = Math.max(positionOf(sorted, prefix), after === '' ? 0 : positionOf(sorted, after, { after: true }));
  while (at < sorted.length) {
    const key = sorted[at] ?? '';
    if (!key.startsWith(prefix)) break;
    const group = groupOf(key, prefix, delimiter);
    const next = group === null ? at + 1 : positionBehind(sorted, group, at);
    if (group !== null && group === after) {
      at = next; // shown at the end of the page before
      continue;
    }
    if (keys.length + prefixes.length >= limit) return { keys, prefixes, last };
    if (group === null) keys.push(key);
    else prefixes.push(group);
    last = group ?? key;
    at = next;
  }
  return { keys, prefixes };
}

/** The common prefix that a key is shown as; null when it is shown itself. */
function groupOf(key: string, prefix: string, delimiter: string): string | null {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end === -1 ? null : key.slice(0, end + delimiter.length);
}

/** The first key at or after `from` that does not begin with `group`; those that do stand together. */
function positionBehind(sorted: readonly string[], group: string, from: number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]?.startsWith(group)) low = middle + 1;
    else high = middle;
  }
  return low;
}
