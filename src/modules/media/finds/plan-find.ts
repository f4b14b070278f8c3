import type { FindOrdering } from './find-cursor.js';
import type { MediaConditions } from './media-filter.js';
import { type Found, SAMPLE_ROWS } from './media-finds.queries.js';

/** Matches are counted up to here (contract section 12.5). */
export const MAX_COUNTED = 10_000;

/** How many rows of a sample match. */
export interface SampleCounts {
  readonly rows: number;
  /** Rows that match. */
  readonly hits: number;
  /** The position of the last row in the random order. */
  readonly last: number;
  /** The sample's share of all rows, from 0 to 1. */
  readonly part: number;
}

/** What a sample of at most SAMPLE_ROWS of a customer's containers shows about a find. */
export interface FindSample extends SampleCounts {
  /** Rows in the ranges of dates and sizes. */
  readonly inRange: number;
  /** Number of different groups (`groupKey`). */
  readonly groups: number;
  /** Rows that have each of the measured terms (`termsToMeasure`). */
  readonly byTerm: readonly number[];
  /** Rows that have all terms except that of the state; 0 without further terms. */
  readonly inAnyState: number;
  /** In the order of the page, the number of rows up to the first match; null: none follows the previous page. */
  readonly firstHit: number | null;
  /** The number of rows before the match before which the page very probably ends (`matchesToPass`); all rows if fewer match. */
  readonly ahead: number;
  /** The key of this match; null if fewer match. */
  readonly until: string | null;
}

/** Maximum number of rows of a walk; reading more takes longer than looking up the matches. */
const MAX_VISITED = 20_000;
/** A walk reads more rows than are expected to be necessary, because matches are not evenly distributed. */
const MARGIN = 1.5;
const MIN_VISITED = 100;

/** A term is rare if a smaller share of the rows has it. */
const RARE = 0.05;
/** A term is common if at least this share has it: comparing it with what other terms find is faster than looking it up. */
const COMMON = 0.5;
/** If the state excludes more than this share of what the other terms find, looking it up is faster than reading those rows. */
const EXCLUDED = 0.25;
/** Maximum number of measured terms, because each is compared with every row of the sample. */
const MAX_MEASURED = 8;

/** A sample is sufficient evidence if it is wrong at most once in a million finds, where the number of matches is almost MAX_COUNTED. */
const CERTAINTY = 6 * Math.LN10;
/** Matches are far behind if a sample of evenly distributed ones would so rarely begin without one. */
const SURPRISING = 0.001;
/** Reading these takes about half as long as counting. */
const MAX_SAMPLE_ROWS = 12_000;
/** A small sample shows only roughly how large the next one has to be. */
const MAX_GROWTH = 5;
/** With fewer matches than this multiple of MAX_COUNTED, hardly any sample is sufficient. */
const LIKELY_SUFFICIENT = 1.3;

/** Whether the sample contains all containers of the customer. */
export const isComplete = ({ rows }: FindSample): boolean => rows < SAMPLE_ROWS;

/**
 * Whether it is certain that more than MAX_COUNTED containers match: with fewer, the sample would not have this many matches (Chernoff bound of the
 * Poisson distribution).
 */
export function isSurelyMany({ hits, part }: Pick<SampleCounts, 'hits' | 'part'>): boolean {
  const mean = MAX_COUNTED * part;
  return hits > mean && hits * Math.log(hits / mean) - (hits - mean) > CERTAINTY;
}

/** The size of a larger sample that may be sufficient evidence; null: counting is cheaper. */
export function rowsToBeSure({ rows, hits, part }: SampleCounts): number | null {
  const mean = MAX_COUNTED * part;
  const times = hits / mean;
  if (times < LIKELY_SUFFICIENT) return null;
  const needed = Math.ceil((MARGIN * rows * CERTAINTY) / (times * Math.log(times) - times + 1) / mean);
  const next = Math.min(needed, MAX_GROWTH * rows, MAX_SAMPLE_ROWS);
  return next > rows ? next : null;
}

/** Whether reading the rows in their order is probably cheaper than sorting all matches. */
export const isProbablyMany = ({ hits, part }: FindSample): boolean => hits > MAX_COUNTED * part;

/** Whether most containers match, so that reading all of them takes less time than looking up those that match. */
export const areMost = ({ rows, hits }: FindSample): boolean => hits > COMMON * rows;

/** The time to count an index entry, and to read a row of a group, relative to the time to read the next row of a table. */
const INDEX_ENTRY = 0.1;
const FIRST_OF_GROUP = 2;
/** The time to read an entry of the index of dates or sizes (0.05 µs), relative to the time to read a row that the range excludes (1.2 µs). */
const RANGE_ENTRY = 0.04;

/** Whether counting all groups of the customer is probably cheaper than reading all rows that match. */
export function areGroupsFew({ rows, groups, hits, part }: FindSample): boolean {
  const repeated = rows - groups;
  const allGroups = (rows * rows) / (2 * repeated); // the number of equally large groups with this many repetitions
  return repeated > 0 && (INDEX_ENTRY * rows) / part + FIRST_OF_GROUP * allGroups < hits / part;
}

/** The number of rows to read in order until a page is probably full. */
export const rowsToVisit = (sample: FindSample, limit: number): number =>
  isComplete(sample) ? SAMPLE_ROWS : Math.min(MAX_VISITED, MIN_VISITED + Math.ceil((MARGIN * limit * sample.rows) / sample.hits));

/** The number of matches of all rows before which the page very probably ends. */
export const matchesToPass = (limit: number): number => MARGIN * limit;

/** Whether reading the first rows in the order of the page probably fills it: its first match in the sample is not behind many others. */
export function areNear(sample: FindSample): boolean {
  const { rows, hits, firstHit, ahead } = sample;
  return isComplete(sample) || (1 - hits / rows) ** ((firstHit ?? ahead + 1) - 1) > SURPRISING;
}

/** Number of rows that can be read in order in the time of one look-up. */
const WALKED_PER_LOOK_UP = 2;

/**
 * The number of rows to read if matches come late in the order; null: looking up all matches is cheaper.
 */
export function rowsToReach({ hits, part, ahead }: FindSample): number | null {
  const rows = Math.ceil((MARGIN * (ahead + 1)) / part);
  return rows < (WALKED_PER_LOOK_UP * hits) / part ? rows : null;
}

/** The terms whose frequency decides which index is used, long ones first, because they are rarest. A single term is not measured. */
export function termsToMeasure(terms: readonly string[]): string[] {
  const required = terms.filter((term) => !term.startsWith('!'));
  return required.length === 1 ? [] : required.toSorted((one, other) => other.length - one.length).slice(0, MAX_MEASURED);
}

/** How rows are looked up: by these terms (tsquery), by the ranges, or by both (`pages`: with the index of times by pages of the table). */
export type LookUpKey = { readonly by: 'terms' | 'both' | 'pages'; readonly terms: readonly string[] } | { readonly by: 'ranges' };

/** Reads all rows of the customer that are in the ranges. */
export const BY_RANGES = { by: 'ranges' } as const;

/**
 * Chooses the terms for the index. Omits terms that most containers have, and beside a rare term also beginnings of words, for which the index
 * collects all words; omitted terms are compared afterwards. Also uses the ranges if they exclude many rows of a rare term; without a rare term
 * always, or the state (the first term) if it excludes many rows.
 */
export function chooseKey(terms: readonly string[], { rows, hits, inRange, byTerm, inAnyState }: FindSample): LookUpKey {
  const measured = termsToMeasure(terms);
  const shareOf = (term: string) => (byTerm[measured.indexOf(term)] ?? 0) / rows;
  const rare = measured.filter((term) => shareOf(term) < RARE);
  if (rare.length > 0) {
    const isBeginning = (term: string) => term.endsWith(':*');
    const excluded = Math.min(...rare.map(shareOf)) * rows - hits;
    return {
      by: excluded > RANGE_ENTRY * inRange ? 'both' : 'terms',
      terms: terms.filter((term) => rare.includes(term) || (shareOf(term) < COMMON && !isBeginning(term))),
    };
  }
  const hasSelective = measured.some((term) => shareOf(term) < COMMON);
  if (!hasSelective) return inRange < RARE * rows ? { by: 'ranges' } : { by: 'terms', terms };
  const isSelective = (term: string) => shareOf(term) < COMMON;
  if (inRange < rows) return { by: 'both', terms: terms.filter(isSelective) };
  const excludesMany = hits < (1 - EXCLUDED) * inAnyState;
  return { by: 'terms', terms: terms.filter((term, n) => isSelective(term) || (n === 0 && excludesMany)) };
}

/** Chooses the index of a count. Those of dates and sizes also contain type, extension and creator, so no other one has to be read. */
export function keyToCount({ terms, columns }: MediaConditions, { sort }: FindOrdering, sample: FindSample): LookUpKey {
  const key = chooseKey(terms, sample);
  return key.by === 'both' && columns !== null && sort !== 'name' ? BY_RANGES : key;
}

/** Rows found by all conditions need not be compared with them again, which would take longer than finding them. */
export function foundBy(key: LookUpKey, { terms, longTags, state, columns }: MediaConditions): { found: Found; terms: string } {
  const [, ...others] = terms; // the first is the term of the state
  if (key.by === 'ranges') return { found: { by: 'ranges', isExact: columns !== null, state }, terms: '' };
  return {
    found: { by: key.by, isExact: longTags === null && others.every((term) => key.terms.includes(term)), state },
    terms: key.terms.join(' & '),
  };
}
