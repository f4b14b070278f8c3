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

/** Parts of a find, each with its own order. `inName`, `elsewhere`: with `sort=relevance`, containers with all words in the name, and the others. */
const FIND_PARTS = ['all', 'inName', 'elsewhere'] as const;
export type FindPart = (typeof FIND_PARTS)[number];

/** A container in the order of a find; the next page begins after it. */
export interface FindPosition {
  readonly id: number;
  /** Its value in the column that the find is sorted by, as text. */
  readonly key: string;
  readonly part: FindPart;
}

/**
 * Processes of 1.0 and 1.1.0, which run beside this version during an upgrade, require the transactions (pg_snapshot) that the first page saw. According to
 * this value it saw all of them, so they add no container that has changed since. Version 1.2 omits it.
 */
const SNAPSHOT_OF_ALL = '999999999999999:999999999999999:';

/** Encodes the position after which the next page begins as an opaque text. */
export const encodeCursor = ({ sort, order }: FindOrdering, { id, key, part }: FindPosition): string =>
  Buffer.from(JSON.stringify([sort, order, id, key, part, SNAPSHOT_OF_ALL])).toString('base64url');

/** Decodes a cursor. Throws `validation_failed` for any other text, and for a cursor of another order. */
export function decodeCursor(cursor: string, ordering: FindOrdering): FindPosition {
  const [sort, order, id, key, part] = parse(cursor);
  if (!isId(id) || !isOneOf(FIND_PARTS, part) || !isOneOf(FIND_SORTS, sort) || !isText(key) || !KEYS[sort].test(key)) {
    throw invalid('invalid_cursor', 'must be the cursor in the Link header of the previous page');
  }
  if (sort === ordering.sort && order === ordering.order) return { id, key, part };
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

function parse(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

const invalid = (code: string, message: string): Error => invalidInput({ path: 'cursor', code, message });
