import type { ContainerType } from '../../media/index.js';
import { sentBy } from '../../media/index.js';
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
  /** Any of these users or senders uploaded it to a dropsite. */
  readonly senderIds?: readonly number[];
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly minSize?: number;
  readonly maxSize?: number;
  readonly formatId?: number;
  readonly missingFormatId?: number;
  /** Whether the original has a problem. */
  readonly problem?: boolean;
  readonly state: ContainerState;
}

/** Characters of a tag in its term; PostgreSQL limits the length of terms. */
const TAG_CHARACTERS = 200;

/** A condition on rows of `media_search_entries` in SQL. */
export interface FindCondition {
  readonly text: string;
  /** The parameters of `text`; $1 is the customer, $2 all terms. */
  readonly values: readonly unknown[];
  /** The parts of `text` that limit a column by which finds sort. */
  readonly ranges: Readonly<Record<'created_at' | 'file_size', string>>;
}

/**
 * The condition that containers of a customer meet a filter. `inName`: only those with all words in the name (true), or only the others (false); null:
 * both.
 */
export function toCondition(customerId: number, filter: MediaFilter, inName: boolean | null = null): FindCondition {
  const terms = [...termsOf(customerId, filter), ...(inName === null ? [] : [termOfNames(customerId, filter.words ?? [], inName)])];
  const values: unknown[] = [customerId, terms.join(' & ')];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { id, senderIds, tags = [], createdAfter, createdBefore, minSize, maxSize } = filter;
  const created = [
    ...(createdAfter === undefined ? [] : [`created_at > ${parameter(createdAfter)}`]),
    ...(createdBefore === undefined ? [] : [`created_at < ${parameter(createdBefore)}`]),
  ];
  const least = minSize ?? (maxSize === undefined ? undefined : 0); // a container without an original has the size -1
  const sizes = [
    ...(least === undefined ? [] : [`file_size >= ${parameter(least)}`]),
    ...(maxSize === undefined ? [] : [`file_size <= ${parameter(maxSize)}`]),
  ];
  const others = [
    ...(id === undefined ? [] : [`media_container_id = ${parameter(id)}`]),
    ...(senderIds === undefined ? [] : [sentBy(parameter(senderIds))]),
    ...(tags.some((tag) => [...tag].length > TAG_CHARACTERS) ? [`tags @> ${parameter(tags)}::text[]`] : []),
  ];
  const all = ['customer_id = $1', 'terms @@ $2::tsquery', ...others, ...created, ...sizes];
  const join = (conditions: readonly string[]) => conditions.join(' AND ') || 'true';
  return { text: join(all), values, ranges: { created_at: join(created), file_size: join(sizes) } };
}

/** Each term is a tsquery; search-entry.sql describes the terms that a container has. */
function termsOf(customerId: number, filter: MediaFilter): string[] {
  const { words = [], tags = [], type, extension, creatorId, dropsiteId, formatId, missingFormatId, problem, state } = filter;
  const term = (kind: string, value: string | number = '') => quote(`${customerId}:${kind}${value}`);
  return [
    state === 'all' ? term('a') : term('s', state),
    ...longestOf(words).map((word) => `${term('w', word)}:*`),
    ...tags.map((tag) => term('t', [...tag].slice(0, TAG_CHARACTERS).join(''))),
    ...(type === undefined ? [] : [term('y', type)]),
    ...(extension === undefined ? [] : [term('e', extension)]),
    ...(creatorId === undefined ? [] : [term('c', creatorId)]),
    ...(dropsiteId === undefined ? [] : [term('d', dropsiteId)]),
    ...(formatId === undefined ? [] : [term('f', formatId)]),
    ...(missingFormatId === undefined ? [] : [`!${term('f', missingFormatId)}`]),
    ...(problem === undefined ? [] : [`${problem ? '' : '!'}${term('p')}`]),
  ];
}

function termOfNames(customerId: number, words: readonly string[], isWanted: boolean): string {
  const all = longestOf(words).map((word) => `${quote(`${customerId}:n${word}`)}:*`);
  return `${isWanted ? '' : '!'}(${all.join(' & ')})`;
}

/** Omits words with which another word begins, because the longer word includes them. */
const longestOf = (words: readonly string[]): string[] =>
  [...new Set(words)].filter((word, _, all) => !all.some((other) => other !== word && other.startsWith(word)));

const quote = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
