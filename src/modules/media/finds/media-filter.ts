import type { ContainerType } from '../media-container.entity.js';
import type { ContainerState } from '../media-container-input.dto.js';

/** The conditions that the containers of a find must meet; absent members do not filter. */
export interface MediaFilter {
  readonly id?: number;
  /** Normalised words; if empty, nothing matches. */
  readonly words?: readonly string[];
  readonly type?: ContainerType;
  /** A container must have all of them. */
  readonly tags?: readonly string[];
  readonly extension?: string;
  readonly creatorId?: number;
  readonly dropsiteId?: number;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly minSize?: number;
  readonly maxSize?: number;
  readonly formatId?: number;
  readonly missingFormatId?: number;
  readonly state: ContainerState;
}

/** Characters of a tag in its term; PostgreSQL limits the length of terms. */
const TAG_CHARACTERS = 200;
const LARGEST_BIGINT = '9223372036854775807';

/** The conditions of a filter, as the statements take them. */
export interface MediaConditions {
  /** Each is a tsquery for one term; the first is the term of the state. */
  readonly terms: readonly string[];
  readonly createdAfter: Date | '-infinity';
  readonly createdBefore: Date | 'infinity';
  readonly minSize: string;
  readonly maxSize: string;
  /** All tags, if one of them is longer than its term; otherwise null. */
  readonly longTags: readonly string[] | null;
  readonly state: ContainerState;
  /**
   * What the terms depend on: only the state, or also a creator, values that all containers of a group share (`groupKey`), or other values.
   */
  readonly scope: 'state' | 'creator' | 'group' | 'container';
  /** The required type, extension and creator (null: any), if the terms depend only on these and the state; otherwise null. */
  readonly columns: readonly [type: string | null, extension: string | null, creatorId: number | null] | null;
}

/** Converts a filter to the conditions of the statements. */
export function toConditions(customerId: number, filter: MediaFilter): MediaConditions {
  const { type, tags = [], extension, creatorId, dropsiteId, formatId, missingFormatId, minSize, maxSize, state } = filter;
  const term = (kind: string, value: string | number = '') => quote(`${customerId}:${kind}${value}`);
  const terms = [
    state === 'all' ? term('a') : term('s', state),
    ...longestOf(filter.words ?? []).map((word) => `${term('w', word)}:*`),
    ...tags.map((tag) => term('t', [...tag].slice(0, TAG_CHARACTERS).join(''))),
    ...(type === undefined ? [] : [term('y', type)]),
    ...(extension === undefined ? [] : [term('e', extension)]),
    ...(creatorId === undefined ? [] : [term('c', creatorId)]),
    ...(dropsiteId === undefined ? [] : [term('d', dropsiteId)]),
    ...(formatId === undefined ? [] : [term('f', formatId)]),
    ...(missingFormatId === undefined ? [] : [`!${term('f', missingFormatId)}`]),
  ];
  return {
    terms,
    createdAfter: filter.createdAfter ?? '-infinity',
    createdBefore: filter.createdBefore ?? 'infinity',
    minSize: String(minSize ?? (maxSize === undefined ? -1 : 0)), // a container without an original has no size
    maxSize: maxSize === undefined ? LARGEST_BIGINT : String(maxSize),
    longTags: tags.some((tag) => [...tag].length > TAG_CHARACTERS) ? tags : null,
    state,
    scope: scopeOf(filter),
    columns: columnsOf(filter),
  };
}

function scopeOf({ type, tags = [], extension, creatorId, ...others }: MediaFilter): MediaConditions['scope'] {
  const hasGroup = type !== undefined || extension !== undefined || tags.length > 0;
  if (hasOtherTerms(others) || (creatorId !== undefined && hasGroup)) return 'container';
  if (creatorId !== undefined) return 'creator';
  return hasGroup ? 'group' : 'state';
}

function columnsOf({ type, tags = [], extension, creatorId, ...others }: MediaFilter): MediaConditions['columns'] {
  return hasOtherTerms(others) || tags.length > 0 ? null : [type ?? null, extension ?? null, creatorId ?? null];
}

const hasOtherTerms = ({ words, dropsiteId, formatId, missingFormatId }: MediaFilter): boolean =>
  [words, dropsiteId, formatId, missingFormatId].some((value) => value !== undefined);

/** Returns the only column that is limited by a range; null if neither or both are. */
export function onlyRangeOf(conditions: MediaConditions): 'created_at' | 'file_size' | null {
  const hasTimes = conditions.createdAfter !== '-infinity' || conditions.createdBefore !== 'infinity';
  if (hasTimes === hasSizes(conditions)) return null;
  return hasTimes ? 'created_at' : 'file_size';
}

/** Whether sizes are limited. */
export const hasSizes = ({ minSize, maxSize }: MediaConditions): boolean => minSize !== '-1' || maxSize !== LARGEST_BIGINT;

/** Builds the tsquery for all words in the name, whose matches `sort=relevance` lists first. */
export const inName = (customerId: number, words: readonly string[]): string =>
  longestOf(words)
    .map((word) => `${quote(`${customerId}:n${word}`)}:*`)
    .join(' & ');

/** Omits words with which another word begins, because the longer word includes them. */
const longestOf = (words: readonly string[]): string[] =>
  [...new Set(words)].filter((word, _, all) => !all.some((other) => other !== word && other.startsWith(word)));

const quote = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
