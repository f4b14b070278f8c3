import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { mediaErrors } from '../media.errors.js';
import type { FindCursor, FindOrdering, FindPart, FindPosition } from './find-cursor.js';
import { inName, type MediaConditions, type MediaFilter, onlyRangeOf, toConditions } from './media-filter.js';
import {
  countMatches,
  FIND_FACETS_OF_GROUPS,
  FIND_ONE,
  FIND_WORDS,
  findFacets,
  findMoved,
  findPosition,
  isByDate,
  isMovingSort,
  LIMIT_STATEMENTS,
  lookUp,
  lookUpInRange,
  SAMPLE_MORE,
  takeSample,
  walk,
} from './media-finds.queries.js';
import {
  areGroupsFew,
  areNear,
  chooseKey,
  type FindSample,
  foundBy,
  isComplete,
  isProbablyMany,
  isSurelyMany,
  keyToCount,
  type LookUpKey,
  MAX_COUNTED,
  matchesToPass,
  rowsToBeSure,
  rowsToReach,
  rowsToVisit,
  type SampleCounts,
  termsToMeasure,
} from './plan-find.js';

const STATEMENT_TIMEOUT_MS = 1_000; // contract section 12.5: a find that takes longer is refused
const CONCURRENT_FINDS = 6; // of 16 connections
const MAX_FACETS = 50; // contract section 12.5
/** SQLSTATE query_canceled. */
const TIMED_OUT = '57014';

/** The filter of a find, and the page to return. */
export interface MediaFind {
  readonly filter: MediaFilter;
  readonly ordering: FindOrdering;
  readonly limit: number;
  /** The page begins after this position; null: with the first container. */
  readonly after: FindCursor | null;
}

export interface FoundPage {
  /** The containers in their order, as cursors. */
  readonly positions: readonly FindCursor[];
  /** The number on all pages; null: more than MAX_COUNTED. */
  readonly total: number | null;
}

/** A value, and how many containers have it. */
export interface FacetCount {
  readonly facet: 'type' | 'tag' | 'extension';
  readonly value: string;
  readonly count: number;
}

/** Selects some of the containers that meet conditions, in their order. */
interface Section extends Pick<MediaFind, 'ordering' | 'limit'> {
  readonly customerId: number;
  readonly conditions: MediaConditions;
  readonly after: FindPosition | null;
}

interface FoundSection {
  readonly positions: readonly FindPosition[];
  readonly total: number | null;
}

interface FoundRows {
  readonly ids: readonly number[];
  readonly keys: readonly string[];
}

/** Facets have no order. */
const UNORDERED = { ordering: { sort: 'createdAt', order: 'desc' }, limit: 0, after: null } as const;

const NOTHING = { positions: [], total: 0 } as const;
const NO_ROWS = { ids: [], keys: [] } as const;

/**
 * Finds media containers in `media_search_entries`. A sample shows how many match: if many do, the rows are read in their order until the page is
 * full; if few do, they are looked up in an index and sorted. Most pages therefore cost about the same for a thousand containers and a million.
 */
@Injectable()
export class MediaFindsRepository {
  /** Limits the connections for finds, which may need them for seconds, so that others remain for other work. */
  private readonly limit = new FairLimit(CONCURRENT_FINDS);

  constructor(private readonly database: Database) {}

  /** Returns the words of a text, normalised like those of containers. */
  async findWords(text: string): Promise<readonly string[]> {
    return (await this.database.queryOne<{ words: string[] }>(FIND_WORDS, [text.replaceAll('\0', ' ')]))?.words ?? [];
  }

  /** Finds the position of a container of the customer, for a list that begins after it; null: it does not exist. */
  async findPosition(customerId: number, id: number, { sort }: FindOrdering): Promise<FindCursor | null> {
    const found = await this.database.queryOne<{ key: string; snapshot: string }>(findPosition(sort), [customerId, id]);
    return found && { id, part: sort === 'relevance' ? 'inName' : 'all', ...found };
  }

  /** Finds a page of matching containers, and their total number. Throws `find_too_broad`. */
  async find(customerId: number, { filter, ordering, limit, after }: MediaFind): Promise<FoundPage> {
    const { id, words } = filter;
    if (words?.length === 0) return NOTHING;
    const section = { customerId, conditions: toConditions(customerId, filter), ordering, limit, after };
    return await this.inTime(customerId, async (now) => {
      const snapshot = after?.snapshot ?? now;
      const find = async (): Promise<FoundSection> => {
        if (id !== undefined) return await this.findOne(section, id);
        return ordering.sort === 'relevance'
          ? await this.findByRelevance(section, inName(customerId, words ?? []), snapshot)
          : await this.findInOrder(section, snapshot);
      };
      const { positions, total } = await find();
      return { positions: positions.map((position) => ({ ...position, snapshot })), total };
    });
  }

  /** Counts the most frequent types, tags and extensions of the matching containers. Throws `find_too_broad`. */
  async countFacets(customerId: number, filter: MediaFilter): Promise<readonly FacetCount[]> {
    if (filter.words?.length === 0) return [];
    const conditions = toConditions(customerId, filter);
    return await this.inTime(customerId, async () => {
      const sample = await this.sample({ customerId, conditions, ...UNORDERED });
      const isShared = conditions.scope === 'state' || conditions.scope === 'group';
      const isOfGroups = isShared && filter.id === undefined && !isComplete(sample) && areGroupsFew(sample);
      const { found, terms } = isOfGroups ? { found: null, terms: '' } : foundBy(chooseKey(conditions, sample), conditions);
      const values = [customerId, ...valuesOf(conditions), terms, MAX_FACETS, filter.id ?? null];
      return (await this.database.query<FacetCount & object>(found === null ? FIND_FACETS_OF_GROUPS : findFacets(found), values)).rows;
    });
  }

  private async findOne({ customerId, conditions, after }: Section, id: number): Promise<FoundSection> {
    const found = after ? null : await this.database.queryOne<FoundRows>(FIND_ONE, [customerId, ...valuesOf(conditions), id]);
    return found ? { positions: positionsOf(found), total: 1 } : NOTHING;
  }

  /** Lists containers with all words in their names, then the others, then renamed ones; `named` is the query for the names. */
  private async findByRelevance(section: Section, named: string, snapshot: string): Promise<FoundSection> {
    const { conditions, ordering, after, limit } = section;
    const parts: { part: FindPart; term: string }[] = [
      { part: 'inName', term: named },
      { part: 'elsewhere', term: `!(${named})` },
    ];
    if (ordering.order === 'asc') parts.reverse();
    const { total } = await this.findSection({ ...section, limit: 0 });
    const positions: FindPosition[] = [];
    const first = after?.part === 'moved' ? parts.length : parts.findIndex((one) => one.part === after?.part);
    for (const { part, term } of parts.slice(Math.max(first, 0))) {
      const rest = { limit: limit - positions.length, after: after?.part === part ? after : null };
      if (rest.limit === 0) break;
      const found = await this.findSection({ ...section, ...rest, conditions: { ...conditions, terms: [...conditions.terms, term] } });
      positions.push(...found.positions.map((position) => ({ ...position, part })));
    }
    return { positions: [...positions, ...(await this.findMoved({ ...section, limit: limit - positions.length }, snapshot))], total };
  }

  /** Lists containers in order; those whose sort value has changed since the first page follow at the end. */
  private async findInOrder(section: Section, snapshot: string): Promise<FoundSection> {
    const { after, limit } = section;
    const { positions, total } = await this.findSection(after?.part === 'moved' ? { ...section, limit: 0 } : section);
    return { positions: [...positions, ...(await this.findMoved({ ...section, limit: limit - positions.length }, snapshot))], total };
  }

  /** Finds the last part of a list, which is not needed for the first page. */
  private async findMoved({ after, ordering, limit, customerId, conditions }: Section, snapshot: string): Promise<readonly FindPosition[]> {
    const { sort } = ordering;
    if (!isMovingSort(sort) || after === null || limit === 0) return [];
    const values = [customerId, ...valuesOf(conditions), snapshot, limit, after.part === 'moved' ? after.id : 0];
    const moved = await this.database.queryOne<FoundRows>(findMoved(sort), values);
    return moved ? positionsOf(moved, 'moved') : [];
  }

  private async findSection(section: Section): Promise<FoundSection> {
    const { limit } = section;
    if (isInIndex(section)) return await this.findInRange(section);
    const sample = await this.sample(section);
    if (!isComplete(sample) && !isProbablyMany(sample)) return await this.lookUpAndCount(section, sample);
    const known = await this.knownTotal(section, sample);
    if (limit === 0 || known === 0) return { positions: [], total: known === undefined ? await this.count(section, sample) : known };
    const walked = areNear(sample) ? await this.walk(section, rowsToVisit(sample, limit)) : null;
    if (known === undefined) {
      // Few more rows match than are counted, so looking up all of them takes about as long as counting, and also finds the page.
      return walked ? { positions: walked, total: await this.count(section, sample) } : await this.lookUpAndCount(section, sample);
    }
    return { positions: walked ?? (await this.findFar(section, sample)), total: known };
  }

  /** Finds by state, creator, dates and sizes only, if an index contains all of them. */
  private async findInRange({ ordering, limit, after, customerId, conditions }: Section): Promise<FoundSection> {
    const find = { ...ordering, state: conditions.state, range: onlyRangeOf(conditions), isContinued: after !== null };
    const values = [customerId, ...valuesOf(conditions), MAX_COUNTED + 1, limit, ...(after ? [after.key, after.id] : [])];
    const found = await this.database.queryOne<FoundRows & { total: number }>(lookUpInRange(find), values);
    return found ? { positions: positionsOf(found), total: toTotal(found) } : NOTHING;
  }

  /** The number of matches, if the sample or a larger one shows it; null: more than MAX_COUNTED; undefined: they have to be counted. */
  private async knownTotal({ customerId, conditions }: Section, sample: FindSample): Promise<number | null | undefined> {
    if (isComplete(sample)) return sample.hits;
    for (let counts: SampleCounts = sample; ; ) {
      if (isSurelyMany(counts)) return null;
      const rows = rowsToBeSure(counts);
      if (rows === null) return undefined;
      const values = [customerId, ...valuesOf(conditions), rows - counts.rows, counts.last];
      const more = await this.database.queryOne<SampleCounts & object>(SAMPLE_MORE, values);
      if (!more || more.rows === 0) return undefined;
      counts = { ...more, rows, hits: counts.hits + more.hits };
    }
  }

  /** Counts the matches; null: more than MAX_COUNTED. */
  private async count(section: Section, sample: FindSample): Promise<number | null> {
    const { customerId, conditions } = section;
    const { found, terms } = foundBy(keyToCount(section.conditions, section.ordering, sample), conditions);
    const values = [customerId, ...valuesOf(conditions), terms, MAX_COUNTED + 1];
    const { total = 0 } = (await this.database.queryOne<{ total: number }>(countMatches(found), values)) ?? {};
    return toTotal({ total });
  }

  private async sample({ customerId, conditions, ordering, limit, after }: Section): Promise<FindSample> {
    const measured = termsToMeasure(conditions.terms);
    const values = [customerId, ...valuesOf(conditions), measured, matchesToPass(limit), ...(after ? [after.key, after.id] : [])];
    const sample = await this.database.queryOne<FindSample & object>(takeSample(ordering, after !== null), values);
    if (!sample) throw new Error('An aggregate has one row.');
    return sample;
  }

  /** Reads rows in their order; null: they do not fill the page. */
  private async walk(section: Section, rows: number): Promise<FindPosition[] | null> {
    const { ordering, limit, after, customerId, conditions } = section;
    const values = [customerId, ...valuesOf(conditions), rows, limit, ...(after ? [after.key, after.id] : [])];
    const found = await this.database.queryOne<FoundRows & { visited: number }>(walk(ordering, after !== null), values);
    return found && (found.ids.length === limit || found.visited < rows) ? positionsOf(found) : null;
  }

  /** Finds matches that are distributed unevenly, such as those of a tag that is no longer used. The sample shows where in the order they are. */
  private async findFar(section: Section, sample: FindSample): Promise<readonly FindPosition[]> {
    const { ordering, conditions, limit } = section;
    const rows = rowsToReach(sample);
    const walked = rows && (await this.walk(section, rows));
    if (walked) return walked;
    const key = chooseKey(conditions, sample);
    if (sample.until !== null && key.by !== 'ranges' && isByDate(ordering)) {
      const near = await this.lookUp({ ...section, conditions: createdUntil(section, Number(sample.until)) }, { ...key, by: 'pages' });
      if (near.ids.length === limit) return positionsOf(near);
    }
    return positionsOf(await this.lookUp(section, key));
  }

  private async lookUpAndCount(section: Section, sample: FindSample): Promise<FoundSection> {
    const { total = 0, ...found } = await this.lookUp(section, keyToCount(section.conditions, section.ordering, sample), true);
    return { positions: positionsOf(found), total: toTotal({ total }) };
  }

  private async lookUp(section: Section, key: LookUpKey, isCounted = false): Promise<FoundRows & { total?: number }> {
    const { ordering, limit, after, customerId, conditions } = section;
    const { found, terms } = foundBy(key, conditions);
    const text = lookUp(ordering, { ...found, isContinued: after !== null, isCounted });
    const values = [customerId, ...valuesOf(conditions), terms, limit, ...(after ? [after.key, after.id] : [])];
    return (await this.database.queryOne<FoundRows & { total?: number }>(text, values)) ?? NO_ROWS;
  }

  /** Runs `work` with the snapshot of its transaction. Throws `find_too_broad` if a statement takes too long. */
  private async inTime<Result>(customerId: number, work: (snapshot: string) => Promise<Result>): Promise<Result> {
    try {
      return await this.limit.run(
        String(customerId),
        async () =>
          await this.database.transaction(async () => {
            const begun = await this.database.queryOne<{ snapshot: string }>(LIMIT_STATEMENTS, [String(STATEMENT_TIMEOUT_MS)]);
            return await work(begun?.snapshot ?? '');
          }),
      );
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== TIMED_OUT) throw error;
      throw mediaErrors.find_too_broad(
        'The find takes too long. Narrow it: add a filter, such as a period or a type, or search for a rarer word.',
      );
    }
  }
}

const valuesOf = ({ terms, createdAfter, createdBefore, minSize, maxSize, longTags, columns }: MediaConditions): unknown[] => [
  terms.join(' & '),
  createdAfter,
  createdBefore,
  minSize,
  maxSize,
  longTags,
  columns,
];

/**
 * Whether a single index contains everything by which the section selects and sorts. The trash is found by its term instead, because the indexes
 * contain all states.
 */
function isInIndex({ conditions, ordering }: Section): boolean {
  const { scope, state } = conditions;
  if (state === 'trash') return false;
  if (scope === 'creator') return isByDate(ordering) && onlyRangeOf(conditions) !== 'file_size';
  return scope === 'state' && ordering.sort !== 'name';
}

/** The same conditions for containers between the end of the previous page and `until`, in milliseconds. */
function createdUntil({ conditions, ordering, after }: Section, until: number): MediaConditions {
  const isNewestFirst = ordering.order === 'desc';
  const [first, last] = isNewestFirst ? [until, after && Number(after.key)] : [after && Number(after.key), until];
  return {
    ...conditions,
    createdAfter: first === null ? conditions.createdAfter : new Date(first - 1),
    createdBefore: last === null ? conditions.createdBefore : new Date(last + 1),
  };
}

/** Converts a count; null: more than MAX_COUNTED. */
const toTotal = ({ total }: { total: number }): number | null => (total > MAX_COUNTED ? null : total);

const positionsOf = ({ ids, keys }: FoundRows, part: FindPart = 'all'): FindPosition[] =>
  ids.map((id, n) => ({ id, key: keys[n] ?? '00', part }));
