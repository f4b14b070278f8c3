import type { ContainerState } from '../media-container-input.dto.js';
import type { FindOrder, FindOrdering, FindSort } from './find-cursor.js';

/** A column by which rows are sorted, and how a cursor represents its values. */
interface SortColumn {
  readonly name: string;
  /** The expression that converts a value to text. */
  readonly written: string;
  /** The expression that converts the parameter $11 to a value of the column. */
  readonly read: string;
  /** The condition of a find with which the index of the column limits its scan. */
  readonly range: string;
}

const CREATED_AT: SortColumn = {
  name: 'created_at',
  written: '(extract(epoch FROM key) * 1000)::bigint::text',
  read: `('epoch'::timestamptz + $11::bigint * interval '1 millisecond')`,
  range: 'created_at > $3 AND created_at < $4',
};

const COLUMNS: Readonly<Record<FindSort, SortColumn>> = {
  createdAt: CREATED_AT,
  relevance: CREATED_AT,
  name: { name: 'name_key', written: `encode(key, 'hex')`, read: `decode($11, 'hex')`, range: 'true' },
  fileSize: { name: 'file_size', written: 'key::text', read: '$11::bigint', range: 'file_size BETWEEN $5 AND $6' },
};

/** Whether a find lists containers by their creation time. */
export const isByDate = ({ sort }: Pick<FindOrdering, 'sort'>): boolean => COLUMNS[sort] === CREATED_AT;

/** $2: all terms, $3 to $6: the ranges, $7: tags that are longer than their terms, $8: type, extension and creator (`MediaConditions.columns`). */
const IN_RANGE = 'created_at > $3 AND created_at < $4 AND file_size BETWEEN $5 AND $6';
const MATCHES = `terms @@ $2::tsquery AND ${IN_RANGE} AND ($7::text[] IS NULL OR tags @> $7) AND ($8::text[] IS NULL OR true)`;

/** The values of $8 that a find requires. PostgreSQL plans for the actual values, so that the others cost nothing. */
const HAS_COLUMNS = ['type = ($8::text[])[1]', 'extension = ($8::text[])[2]', 'creator_id = ($8::text[])[3]::bigint']
  .map((condition, n) => `(($8::text[])[${n + 1}] IS NULL OR ${condition})`)
  .join(' AND ');

/** Rows in a sample; reading them takes a few milliseconds. */
export const SAMPLE_ROWS = 1_200;
/** Maximum number of terms with which each row of a sample is compared. */
export const MAX_MEASURED = 8;

/** A bit for each of the terms $9 that a row has. */
const HAS_TERMS = Array.from({ length: MAX_MEASURED }, (_, n) => `coalesce((terms @@ ($9::tsquery[])[${n + 1}])::int << ${n}, 0)`).join(
  ' + ',
);

/** Sets a time limit and plans for the actual values until the transaction ends. Returns the snapshot of the transaction. */
export const LIMIT_STATEMENTS = `SELECT pg_current_snapshot()::text AS snapshot, set_config('statement_timeout', $1, true), set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('work_mem', '32MB', true)`;

/** Raw SQL: calls the function that normalises the words of both rows and finds. */
export const FIND_WORDS = 'SELECT media_search_words($1) AS words';

/**
 * Raw SQL: counts how many of the customer's first rows in random order match all conditions ("hits"), and how many have which of the at most
 * MAX_MEASURED terms $9, within the ranges and outside them; also counts their groups, and returns their share of all rows. In the order of the page,
 * it counts the sample's rows up to the first match, and up to the match before which the page very probably ends, if it would end after $10 matches of
 * all rows ("ahead": all rows if fewer match; "until": the key of this match).
 */
export function takeSample({ sort, order }: FindOrdering, isContinued: boolean): string {
  const column = COLUMNS[sort];
  return `WITH sample AS MATERIALIZED (
      SELECT media_container_id AS id, ${column.name} AS key, shuffle, group_key, (${IN_RANGE}) AS in_range, (${MATCHES}) AS is_hit, ${HAS_TERMS} AS has,
        (${column.range} ${isContinued ? `AND ${behind(column, column.name, 'media_container_id', order)}` : ''}) AS is_listed
      FROM media_search_entries WHERE customer_id = $1 ORDER BY shuffle LIMIT ${SAMPLE_ROWS}
    ), listed AS (SELECT key, is_hit, row_number() OVER (ORDER BY key ${order}, id ${order})::int AS n FROM sample WHERE is_listed),
    size AS (SELECT coalesce(max(shuffle), 0) / 2147483647.0::float8 AS part FROM sample),
    reached AS (SELECT n, ${column.written} AS until FROM listed WHERE is_hit ORDER BY n LIMIT 1 OFFSET (SELECT ceil($10::float8 * part)::bigint FROM size))
    SELECT count(*)::int AS rows, count(*) FILTER (WHERE is_hit)::int AS hits,
      count(DISTINCT group_key)::int AS groups, coalesce(max(shuffle), 0) AS last, (SELECT part FROM size) AS part,
      ARRAY(SELECT json_build_object('terms', has, 'isInRange', in_range, 'rows', count(*)) FROM sample GROUP BY has, in_range) AS patterns,
      (SELECT min(n) FROM listed WHERE is_hit) AS "firstHit",
      coalesce((SELECT n FROM reached), (SELECT count(*)::int FROM listed)) AS ahead, (SELECT until FROM reached) AS until
    FROM sample`;
}

/** Raw SQL: continues a sample behind the row $10 with $9 rows; returns the number of further rows and hits, and the share of all rows read so far. */
export const SAMPLE_MORE = `SELECT count(*)::int AS rows, count(*) FILTER (WHERE is_hit)::int AS hits, coalesce(max(shuffle), $10::int) AS last,
    coalesce(max(shuffle), $10::int) / 2147483647.0::float8 AS part
  FROM (SELECT shuffle, (${MATCHES}) AS is_hit FROM media_search_entries WHERE customer_id = $1 AND shuffle > $10::int ORDER BY shuffle LIMIT $9) AS sample`;

/** Counts facets from `combinations` of type, extension and tags with their counts. */
const FACETS = `facets AS (
    SELECT 'type' AS facet, type AS value, sum(count) AS count FROM combinations GROUP BY type
    UNION ALL SELECT 'extension', extension, sum(count) FROM combinations WHERE extension IS NOT NULL GROUP BY extension
    UNION ALL SELECT 'tag', tag, sum(count) FROM combinations CROSS JOIN LATERAL (SELECT DISTINCT unnest(tags)) AS own (tag) GROUP BY tag
  ), ranked AS (SELECT *, row_number() OVER (PARTITION BY facet ORDER BY count DESC, value COLLATE "C") AS place FROM facets)
  SELECT facet, value, count::int FROM ranked WHERE place <= $10 ORDER BY facet, place`;

/** Raw SQL: finds a single container, if it matches. */
export const FIND_ONE = `SELECT 1::int AS total, ARRAY[media_container_id] AS ids, ARRAY['00'] AS keys FROM media_search_entries
  WHERE customer_id = $1 AND media_container_id = $9 AND ${MATCHES}`;

/** Raw SQL: finds the position of a container, for clients that send its id as a cursor. */
export const findPosition = (sort: FindSort): string =>
  `SELECT ${COLUMNS[sort].written} AS key, pg_current_snapshot()::text AS snapshot FROM (SELECT ${COLUMNS[sort].name} AS key FROM media_search_entries
    WHERE customer_id = $1 AND media_container_id = $2) AS entry`;

/**
 * Raw SQL: reads the next $9 rows in the order of an index, and returns at most $10 of those that match; they follow the position $11, $12 if
 * `isContinued`. For conditions that many rows meet.
 */
export function walk({ sort, order }: FindOrdering, isContinued: boolean): string {
  const column = COLUMNS[sort];
  return `WITH visited AS MATERIALIZED (
      SELECT media_container_id AS id, ${column.name} AS key, (${MATCHES}) AS is_hit FROM media_search_entries
      WHERE customer_id = $1 AND ${column.range} ${isContinued ? `AND ${behind(column, column.name, 'media_container_id', order)}` : ''}
      ORDER BY ${column.name} ${order}, media_container_id ${order} LIMIT $9
    ), page AS (SELECT id, key FROM visited WHERE is_hit ORDER BY visited.key ${order}, id ${order} LIMIT $10)
    SELECT (SELECT count(*)::int FROM visited) AS visited, ${toArrays(column, order)}`;
}

/**
 * Raw SQL: finds all matching rows with the index of the terms ($9: those that few rows have) or of a range, sorts them, and counts them if
 * `isCounted`. For conditions that few rows meet. `IS TRUE` keeps PostgreSQL from using an index for a condition, and `OFFSET 0` from using one
 * for the order.
 */
export function lookUp(
  { sort, order }: FindOrdering,
  { isContinued, isCounted, ...key }: Found & { isContinued: boolean; isCounted: boolean },
): string {
  const column = COLUMNS[sort];
  const rows = `SELECT media_container_id AS id, ${column.name} AS key FROM media_search_entries WHERE ${found(key)}`;
  const page = (
    matched: string,
  ) => `page AS (SELECT id, key FROM ${matched} ${isContinued ? `WHERE ${behind(column, 'key', 'id', order)}` : ''}
      ORDER BY matched.key ${order}, id ${order} LIMIT $10)`;
  return isCounted
    ? `WITH matched AS MATERIALIZED (${rows}), ${page('matched')} SELECT (SELECT count(*)::int FROM matched) AS total, ${toArrays(column, order)}`
    : `WITH ${page(`(${rows} OFFSET 0) AS matched`)} SELECT ${toArrays(column, order)}`;
}

/** Raw SQL: counts the matching rows, up to $10. */
export const countMatches = (key: Found): string =>
  `SELECT count(*)::int AS total FROM (SELECT FROM media_search_entries WHERE ${found(key)} LIMIT $10) AS counted`;

const IN_STATE: Readonly<Record<ContainerState, string>> = { active: 'group_key >= 0', trash: 'group_key < 0', all: 'true' };

/** Uses the parameters that a statement does not need, because PostgreSQL has to know their types. */
const UNUSED = '$2::text IS NOT NULL AND ($7::text[] IS NULL OR true) AND ($8::text[] IS NULL OR true)';

/** The index with which rows are found: that of the terms $9, of a range, both, or that of the terms with the one of times by pages of the table. */
export interface Found {
  readonly by: 'terms' | 'ranges' | 'both' | 'pages';
  /** Whether the rows found need not be compared with conditions other than the state. */
  readonly isExact: boolean;
  readonly state: ContainerState;
}

function found({ by, isExact, state }: Found): string {
  const rest = isExact ? `${IN_STATE[state]} AND ${UNUSED}` : `(${MATCHES}) IS TRUE`;
  if (by === 'ranges') return `customer_id = $1 AND ${IN_RANGE} AND ${HAS_COLUMNS} AND $9::text = '' AND ${rest}`;
  if (by === 'both') return `terms @@ $9::tsquery AND customer_id = $1 AND ${IN_RANGE} AND ${rest}`;
  if (by === 'pages') return `terms @@ $9::tsquery AND customer_id = $1 AND ${IN_RANGE} AND shuffle >= 0 AND ${rest}`;
  return `terms @@ $9::tsquery AND (customer_id = $1 AND ${IN_RANGE}) IS TRUE AND ${rest}`;
}

/** A find by state, creator, dates and sizes only. The indexes of creators, dates and sizes contain everything that it needs. */
export interface RangeFind extends FindOrdering {
  readonly state: ContainerState;
  /** The only range, whose index finds the matches; null: none or several. */
  readonly range: 'created_at' | 'file_size' | null;
  readonly isContinued: boolean;
}

const inRange = (state: ContainerState): string =>
  `customer_id = $1 AND ${IN_RANGE} AND ${HAS_COLUMNS} AND ${IN_STATE[state]} AND ${UNUSED}`;

/** Whether the index of the range, or of the order if there is no range, contains the rows in the order of the page. */
const isInOrder = ({ sort, range }: RangeFind): boolean => range === null || range === COLUMNS[sort].name;

/**
 * Raw SQL: counts the matching rows, up to $9, and returns a page. If another index than that of the range has the order of the page, it is used if
 * there are $9 rows; otherwise those counted are sorted.
 */
export function lookUpInRange(find: RangeFind): string {
  const { sort, order, state, range, isContinued } = find;
  const column = COLUMNS[sort];
  const matched = (columns: string) =>
    `SELECT ${columns} FROM media_search_entries WHERE ${inRange(state)} ORDER BY ${range ?? column.name} LIMIT $9`;
  if (isInOrder(find)) {
    return `WITH page AS (${pageInRange(find)}) SELECT (SELECT count(*)::int FROM (${matched('')}) AS counted) AS total, ${toArrays(column, order)}`;
  }
  return `WITH matched AS MATERIALIZED (${matched(`media_container_id AS id, ${column.name} AS key`)}),
    counted AS MATERIALIZED (SELECT count(*)::int AS total FROM matched),
    page AS (
      (SELECT id, key FROM matched WHERE (SELECT total FROM counted) < $9 ${isContinued ? `AND ${behind(column, 'key', 'id', order)}` : ''}
        ORDER BY matched.key ${order}, id ${order} LIMIT $10)
      UNION ALL (${pageInRange(find, '(SELECT total FROM counted) = $9')})
    )
    SELECT (SELECT total FROM counted) AS total, ${toArrays(column, order)}`;
}

function pageInRange({ sort, order, state, isContinued }: RangeFind, condition = 'true'): string {
  const column = COLUMNS[sort];
  return `SELECT media_container_id AS id, ${column.name} AS key FROM media_search_entries
      WHERE ${inRange(state)} AND ${condition} ${isContinued ? `AND ${behind(column, column.name, 'media_container_id', order)}` : ''}
      ORDER BY ${column.name} ${order}, media_container_id ${order} LIMIT $10`;
}

/** The column with the transaction that last moved a row in lists of this order; rows do not move in the other orders. */
const MOVED_BY = { name: 'renamed_by', fileSize: 'resized_by', relevance: 'renamed_by' } as const;

/** An order in which the place of a container may change. */
export type MovingSort = keyof typeof MOVED_BY;
export const isMovingSort = (sort: FindSort): sort is MovingSort => sort in MOVED_BY;

/** Raw SQL: finds the next $10 matching rows after the id $11 whose place has changed since the snapshot $9. */
export const findMoved = (sort: MovingSort): string => `WITH page AS (SELECT media_container_id AS id FROM media_search_entries
    WHERE customer_id = $1 AND ${MOVED_BY[sort]} >= pg_snapshot_xmin($9::pg_snapshot)::text::bigint AND media_container_id > $11 AND (${MATCHES}) IS TRUE
      AND ${MOVED_BY[sort]} < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      AND NOT pg_visible_in_snapshot(${MOVED_BY[sort]}::text::xid8, $9::pg_snapshot)
    ORDER BY media_container_id LIMIT $10)
  SELECT ARRAY(SELECT id FROM page ORDER BY id) AS ids, ARRAY(SELECT '00' FROM page) AS keys`;

/**
 * Raw SQL: finds the $10 most frequent types, tags and extensions of all matching rows; if $11 is not null, only of this row. Counts equal
 * combinations first, because a customer has far fewer of them than containers.
 */
export const findFacets = (key: Found): string => `WITH combinations AS MATERIALIZED (
    SELECT type, extension, tags, count(*) AS count FROM media_search_entries
    WHERE ${found(key)} AND ($11::int IS NULL OR media_container_id = $11) GROUP BY type, extension, tags
  ), ${FACETS}`;

/**
 * Raw SQL: the same for terms that all containers of a group share: counts the groups in the index of dates, and reads the shared values from
 * one row of each.
 */
export const FIND_FACETS_OF_GROUPS = `WITH groups AS MATERIALIZED (
    SELECT min(media_container_id) AS id, count(*) AS count FROM media_search_entries
    WHERE customer_id = $1 AND ${IN_RANGE} AND $9::text = '' GROUP BY group_key
  ), combinations AS MATERIALIZED (
    SELECT type, extension, tags, count FROM groups CROSS JOIN LATERAL (SELECT type, extension, tags FROM media_search_entries
      WHERE media_container_id = groups.id AND (${MATCHES}) IS TRUE AND $11::int IS NULL OFFSET 0) AS first
  ), ${FACETS}`;

const behind = ({ read }: SortColumn, key: string, id: string, order: FindOrder): string =>
  `(${key}, ${id}) ${order === 'asc' ? '>' : '<'} (${read}, $12::int)`;

const toArrays = ({ written }: SortColumn, order: FindOrder): string =>
  ['id', written]
    .map((value, n) => `ARRAY(SELECT ${value} FROM page ORDER BY page.key ${order}, id ${order}) AS ${n === 0 ? 'ids' : 'keys'}`)
    .join(', ');
