import { invalidInput, isId } from '../../../shared/validation/index.js';

export const FIND_SORTS = ['createdAt', 'name', 'fileSize', 'relevance'] as const;
export type FindSort = (typeof FIND_SORTS)[number];
export const FIND_ORDERS = ['asc', 'desc'] as const;
export type FindOrder = (typeof FIND_ORDERS)[number];

/** The order in which containers are listed. */
export interface FindOrdering {
  readonly sort: FindSort;
  readonly order: FindOrder;
}

/**
 * Parts of a find, each with its own order. `inName`, `elsewhere`: with `sort=relevance`, containers with all words in the name, and the others.
 * `moved`: at the end of a list by name, size or relevance, containers whose place has changed since the first page, because they may have moved
 * to a place that was already listed.
 */
const FIND_PARTS = ['all', 'inName', 'elsewhere', 'moved'] as const;
export type FindPart = (typeof FIND_PARTS)[number];

/** A container in the order of a find. */
export interface FindPosition {
  readonly id: number;
  /** Its value in the column that the find is sorted by, as text. */
  readonly key: string;
  readonly part: FindPart;
}

/** Where the next page begins. */
export interface FindCursor extends FindPosition {
  /** The transactions that were visible to the first page (pg_snapshot). */
  readonly snapshot: string;
}

/** Encodes the position after which the next page begins as an opaque text. */
export const encodeCursor = ({ sort, order }: FindOrdering, { id, key, part, snapshot }: FindCursor): string =>
  Buffer.from(JSON.stringify([sort, order, id, key, part, snapshot])).toString('base64url');

/** Decodes a cursor. Throws `validation_failed` for any other text, and for a cursor of another order. */
export function decodeCursor(cursor: string, ordering: FindOrdering): FindCursor {
  const [sort, order, id, key, part, snapshot] = parse(cursor);
  if (
    !isId(id) ||
    !isOneOf(FIND_PARTS, part) ||
    !isOneOf(FIND_SORTS, sort) ||
    !isText(key) ||
    !KEYS[sort].test(key) ||
    !isSnapshot(snapshot)
  ) {
    throw invalid('invalid_cursor', 'must be the cursor in the Link header of the previous page');
  }
  if (sort === ordering.sort && order === ordering.order) return { id, key, part, snapshot };
  throw invalid('other_order', `belongs to sort=${sort} and order=${String(order)}; start again without a cursor`);
}

/** The forms of a cursor's key: milliseconds, bytes in hexadecimal, or a number of bytes. */
const KEYS: Readonly<Record<FindSort, RegExp>> = {
  createdAt: /^-?\d{1,14}$/,
  relevance: /^-?\d{1,14}$/,
  name: /^([0-9a-f]{2}){0,1000}$/,
  fileSize: /^-?\d{1,18}$/,
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isOneOf = <Name extends string>(names: readonly Name[], value: unknown): value is Name => names.some((name) => name === value);

/** Whether PostgreSQL can read a text as a pg_snapshot: xmin, xmax and, in ascending order, the transactions in progress between them. */
function isSnapshot(value: unknown): value is string {
  if (!isText(value) || !/^\d{1,15}:\d{1,15}:(\d{1,15}(,\d{1,15})*)?$/.test(value)) return false;
  const [first = 0, end = 0, ...open] = value.split(/[:,]/).filter(Boolean).map(Number);
  return first > 0 && first <= end && open.every((id, n) => id >= Math.max(first, (open[n - 1] ?? -1) + 1) && id < end);
}

function parse(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

const invalid = (code: string, message: string): Error => invalidInput({ path: 'cursor', code, message });
