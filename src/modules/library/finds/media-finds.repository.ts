import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { mediaErrors } from '../../media/index.js';
import type { FindOrder, FindOrdering, FindPart, FindPosition, FindSort } from './find-cursor.js';
import { type FindCondition, type MediaFilter, toCondition } from './media-filter.js';

/** Matches are counted up to here (contract section 12.5). */
export const MAX_COUNTED = 10_000;
const STATEMENT_TIMEOUT_MS = 1_000; // contract section 12.5: a find that takes longer is refused
const CONCURRENT_FINDS = 4; // a quarter of the connections
const MAX_WAITING = 400; // most finds take some milliseconds
const MAX_FACETS = 50; // contract section 12.5
/** Rows of an index that are read in order for a page; reading them takes about 50 ms. */
const MAX_WALKED = 20_000;
/** SQLSTATE query_canceled. */
const TIMED_OUT = '57014';

/** The filter of a find, and the page to return. */
export interface MediaFind {
  readonly filter: MediaFilter;
  readonly ordering: FindOrdering;
  readonly limit: number;
  /** The page begins after this position; null: with the first container. */
  readonly after: FindPosition | null;
}

export interface FoundPage {
  /** The containers in their order. */
  readonly positions: readonly FindPosition[];
  /** The number on all pages; null: more than MAX_COUNTED. */
  readonly total: number | null;
}

/** A value, and how many containers have it. */
export interface FacetCount {
  readonly facet: 'type' | 'tag' | 'extension';
  readonly value: string;
  readonly count: number;
}

/** A column by which rows are sorted. */
interface SortColumn {
  readonly name: 'created_at' | 'name_key' | 'file_size';
  /** The expression that converts a value `key` to the text in a cursor. */
  readonly written: string;
  /** Converts the parameter of a statement with this text to a value of the column. */
  readonly read: (parameter: string) => string;
}

const CREATED_AT: SortColumn = {
  name: 'created_at',
  written: '(extract(epoch FROM key) * 1000)::bigint::text',
  read: (text) => `('epoch'::timestamptz + ${text}::bigint * interval '1 millisecond')`,
};

const COLUMNS: Readonly<Record<FindSort, SortColumn>> = {
  createdAt: CREATED_AT,
  relevance: CREATED_AT,
  name: { name: 'name_key', written: `encode(key, 'hex')`, read: (text) => `decode(${text}, 'hex')` },
  fileSize: { name: 'file_size', written: 'key::text', read: (text) => `${text}::bigint` },
};

/** Some of the containers of a part, in their order. */
interface Section {
  readonly part: FindPart;
  readonly condition: FindCondition;
  readonly ordering: FindOrdering;
  readonly limit: number;
  readonly after: FindPosition | null;
}

/**
 * Finds media containers in `media_search_entries`: counts the matches up to MAX_COUNTED; sorts them if they are fewer, and otherwise reads the index of
 * the order until the page is full.
 */
@Injectable()
export class MediaFindsRepository {
  /** Limits the connections for finds, which may need them for seconds, so that others remain for other work. */
  private readonly limit = new FairLimit({ slots: CONCURRENT_FINDS, maxWaiting: MAX_WAITING });

  constructor(private readonly database: Database) {}

  /** Returns the words of a text, normalised like those of containers; in SQL, because the triggers of the rows call the same function. */
  async findWords(text: string): Promise<readonly string[]> {
    const sql = 'SELECT media_search_words($1) AS words';
    return (await this.database.queryOne<{ words: string[] }>(sql, [text.replaceAll('\0', ' ')]))?.words ?? [];
  }

  /** Finds the position of a container of the customer, for a list that begins after it; null: it does not exist. */
  async findPosition(customerId: number, id: number, { sort }: FindOrdering): Promise<FindPosition | null> {
    const { name, written } = COLUMNS[sort];
    const found = await this.database.queryOne<{ key: string }>(
      `SELECT ${written} AS key FROM (SELECT ${name} AS key FROM media_search_entries WHERE customer_id = $1 AND media_container_id = $2) AS entry`,
      [customerId, id],
    );
    return found && { id, part: sort === 'relevance' ? 'inName' : 'all', ...found };
  }

  /** Finds a page of matching containers, and their total number. Throws `find_too_broad`. */
  async find(customerId: number, { filter, ordering, limit, after }: MediaFind): Promise<FoundPage> {
    if (filter.words?.length === 0) return { positions: [], total: 0 };
    return await this.inTime(customerId, { byIndexes: true }, async () => {
      const total = await this.count(toCondition(customerId, filter));
      const positions: FindPosition[] = [];
      for (const part of partsFrom(ordering, after)) {
        const section = { part, ordering, limit: limit - positions.length, after: after?.part === part ? after : null };
        if (section.limit === 0 || total === 0) break;
        const condition = toCondition(customerId, filter, part === 'all' ? null : part === 'inName');
        positions.push(...(await this.findPage({ ...section, condition }, total)));
      }
      return { positions, total };
    });
  }

  /** Counts the most frequent types, tags and extensions of the matching containers. Throws `find_too_broad`. */
  async countFacets(customerId: number, filter: MediaFilter): Promise<readonly FacetCount[]> {
    if (filter.words?.length === 0) return [];
    const { text, values } = toCondition(customerId, filter);
    return await this.inTime(customerId, { byIndexes: false }, async () => {
      // Counts equal combinations first, because a customer has far fewer of them than containers.
      const { rows } = await this.database.query<FacetCount & object>(
        `WITH combinations AS MATERIALIZED (SELECT type, extension, tags, count(*) AS count FROM media_search_entries WHERE ${text} GROUP BY type, extension, tags),
          facets AS (
            SELECT 'type' AS facet, type AS value, sum(count) AS count FROM combinations GROUP BY type
            UNION ALL SELECT 'extension', extension, sum(count) FROM combinations WHERE extension IS NOT NULL GROUP BY extension
            UNION ALL SELECT 'tag', tag, sum(count) FROM combinations CROSS JOIN LATERAL (SELECT DISTINCT unnest(tags)) AS own (tag) GROUP BY tag
          ),
          ranked AS (SELECT *, row_number() OVER (PARTITION BY facet ORDER BY count DESC, value COLLATE "C") AS place FROM facets)
        SELECT facet, value, count::int FROM ranked WHERE place <= ${MAX_FACETS} ORDER BY facet, place`,
        [...values],
      );
      return rows;
    });
  }

  /** The number of matches; null: more than MAX_COUNTED. */
  private async count({ text, values }: FindCondition): Promise<number | null> {
    // Raw SQL, because TypeORM counts all matches and cannot stop at a number of them.
    const sql = `SELECT count(*)::int AS total FROM (SELECT FROM media_search_entries WHERE ${text} LIMIT ${MAX_COUNTED + 1}) AS counted`;
    const { total = 0 } = (await this.database.queryOne<{ total: number }>(sql, [...values])) ?? {};
    return total > MAX_COUNTED ? null : total;
  }

  /** Finds a page, of a find with `total` matches. Many matches that are distributed evenly fill a page within MAX_WALKED rows of the order. */
  private async findPage(section: Section, total: number | null): Promise<readonly FindPosition[]> {
    const walked = total === null ? await this.walk(section) : [];
    return walked.length === section.limit ? walked : await this.sort(section);
  }

  /** Reads the index of the order. */
  private async walk(section: Section): Promise<FindPosition[]> {
    const { condition, ordering, after } = section;
    const { text, values, ranges } = condition;
    const { name } = COLUMNS[ordering.sort];
    const range = name === 'name_key' ? 'true' : ranges[name];
    const behind = behindOf(ordering, after, values.length);
    const order = `ORDER BY ${name} ${ordering.order}, media_container_id ${ordering.order}`;
    const rows = `SELECT *, media_container_id AS id, ${name} AS key FROM media_search_entries
      WHERE customer_id = $1 AND ${range} AND ${behind.text} ${order} LIMIT ${MAX_WALKED}`;
    return await this.read(section, `(${rows}) AS rows WHERE ${text}`, [...values, ...behind.values]);
  }

  /** Sorts all matches. `OFFSET 0` keeps PostgreSQL from reading the index of the order instead, which takes long if the first matches are far behind. */
  private async sort(section: Section): Promise<FindPosition[]> {
    const { condition, ordering, after } = section;
    const behind = behindOf(ordering, after, condition.values.length);
    const rows = `SELECT media_container_id AS id, ${COLUMNS[ordering.sort].name} AS key FROM media_search_entries
      WHERE ${condition.text} AND ${behind.text} OFFSET 0`;
    return await this.read(section, `(${rows}) AS rows`, [...condition.values, ...behind.values]);
  }

  private async read(
    { part, ordering: { sort, order }, limit }: Section,
    rows: string,
    values: readonly unknown[],
  ): Promise<FindPosition[]> {
    const sql = `SELECT id, ${COLUMNS[sort].written} AS key FROM ${rows} ORDER BY rows.key ${order}, rows.id ${order} LIMIT ${limit}`;
    const found = await this.database.query<{ id: number; key: string }>(sql, [...values]);
    return found.rows.map((row) => ({ ...row, part }));
  }

  /**
   * Runs `work` in a transaction. Throws `find_too_broad` if a statement takes too long. `byIndexes`: only with indexes, because for the first of many
   * matches PostgreSQL would read the table from its beginning, which takes long if all matches are new.
   */
  private async inTime<Result>(
    customerId: number,
    { byIndexes }: { readonly byIndexes: boolean },
    work: () => Promise<Result>,
  ): Promise<Result> {
    // Reading a page of the table costs little more in the order of an index than in its own: most pages are in memory.
    const begin = `SELECT set_config('statement_timeout', $1, true), set_config('enable_seqscan', $2, true),
      set_config('random_page_cost', '1.1', true), set_config('work_mem', '32MB', true)`;
    const find = async () =>
      await this.database.transaction(async () => {
        await this.database.query(begin, [String(STATEMENT_TIMEOUT_MS), byIndexes ? 'off' : 'on']);
        return await work();
      });
    try {
      return await this.limit.run(String(customerId), find);
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== TIMED_OUT) throw error;
      throw mediaErrors.find_too_broad(
        'The find takes too long. Narrow it: add a filter, such as a period or a type, or search for a rarer word.',
      );
    }
  }
}

/** The parts of a list, from the one of the position `after`: by relevance first the containers with all words in the name, then the others. */
function partsFrom({ sort, order }: FindOrdering, after: FindPosition | null): readonly FindPart[] {
  if (sort !== 'relevance') return ['all'];
  const parts: FindPart[] = order === 'asc' ? ['elsewhere', 'inName'] : ['inName', 'elsewhere'];
  return parts.slice(Math.max(0, after ? parts.indexOf(after.part) : 0));
}

/** The condition that rows follow a position; its parameters come after `count` others. */
function behindOf({ sort, order }: FindOrdering, after: FindPosition | null, count: number): { text: string; values: unknown[] } {
  if (!after) return { text: 'true', values: [] };
  const { name, read } = COLUMNS[sort];
  const compared: Record<FindOrder, string> = { asc: '>', desc: '<' };
  return {
    text: `(${name}, media_container_id) ${compared[order]} (${read(`$${count + 1}`)}, $${count + 2}::int)`,
    values: [after.key, after.id],
  };
}
