import type { FindOrdering } from './find-cursor.js';
import { hasSizes, type MediaConditions } from './media-filter.js';
import { type Found, MAX_MEASURED, SAMPLE_ROWS } from './media-finds.queries.js';

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

/** Rows of a sample that have the same of the measured terms, and are all within the ranges of dates and sizes or all outside. */
export interface SamplePattern {
  /** Bit n is set if the rows have the measured term n. */
  readonly terms: number;
  readonly isInRange: boolean;
  readonly rows: number;
}

/** What a sample of at most SAMPLE_ROWS of a customer's containers shows about a find. */
export interface FindSample extends SampleCounts {
  /** Number of different groups (`groupKey`). */
  readonly groups: number;
  /** How many rows have which of the measured terms (`termsToMeasure`), within the ranges of dates and sizes and outside them. */
  readonly patterns: readonly SamplePattern[];
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

// Times, relative to the time to look up a row of the table (1.3 µs); measured with a million containers.

/** Reading the next row of a period: most of its rows are adjacent. */
const NEXT_ROW = 0.3;
/** Comparing a row with all conditions. */
const COMPARISON = 0.35;
/** Reading an entry of an index that contains all that is needed. */
const INDEX_ENTRY = 0.1;
/** Reading an entry of an index of ranges that is combined with that of the terms. */
const COMBINED_ENTRY = 0.04;
/** Finding a row of a term. */
const TERM_ENTRY = 0.1;
/** Finding a row of a beginning of words: PostgreSQL first collects the rows of all these words. */
const BEGINNING_ENTRY = 0.2;
/** Finding and reading the first row of a group. */
const FIRST_OF_GROUP = 2;

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

/** The number of rows to read if matches come late in the order; null: looking up all matches is cheaper. */
export function rowsToReach({ hits, part, ahead }: FindSample): number | null {
  const rows = Math.ceil((MARGIN * (ahead + 1)) / part);
  return rows < (WALKED_PER_LOOK_UP * hits) / part ? rows : null;
}

/** The terms whose frequency decides which index is used, long ones first, because they are rarest. */
export const termsToMeasure = (terms: readonly string[]): string[] =>
  terms.toSorted((one, other) => other.length - one.length).slice(0, MAX_MEASURED);

/** How rows are looked up: by these terms (tsquery), by the ranges, or by both (`pages`: with the index of times by pages of the table). */
export type LookUpKey = { readonly by: 'terms' | 'both' | 'pages'; readonly terms: readonly string[] } | { readonly by: 'ranges' };

/** Reads all rows of the customer that are in the ranges. */
const BY_RANGES = { by: 'ranges' } as const;

/**
 * Chooses the key that finds the matches in the shortest time, as far as the sample shows: some of the terms, the ranges, or both. The conditions
 * that the key leaves out are compared afterwards. `isCovered`: an index of ranges contains all that the find needs (`columns`).
 */
export function chooseKey(conditions: MediaConditions, { patterns }: FindSample, isCovered = false): LookUpKey {
  const measured = termsToMeasure(conditions.terms);
  // Counts one more, because rarer than once in a sample is not never.
  const countRows = (wanted: (pattern: SamplePattern) => boolean) => patterns.filter(wanted).reduce((sum, { rows }) => sum + rows, 1);
  const byTerm = new Map(measured.map((term, n) => [term, countRows(({ terms }) => hasBit(terms, n))]));
  const countTerm = (term: string) => byTerm.get(term) ?? 0;
  const inRange = countRows(({ isInRange }) => isInRange);
  const isLimited = patterns.some(({ isInRange }) => !isInRange);
  const timeOfRanges = isCovered
    ? INDEX_ENTRY * Math.min(inRange, ...creatorOf(conditions).map(countTerm))
    : inRange * ((hasSizes(conditions) ? 1 : NEXT_ROW) + COMPARISON);
  let best: { key: LookUpKey; time: number } = { key: BY_RANGES, time: timeOfRanges };
  for (let bits = 1; bits < 2 ** measured.length; bits += 1) {
    const terms = measured.filter((_, n) => hasBit(bits, n));
    if (terms.every(isNegated)) continue;
    const timeOfTerms = timeToFind(terms, countTerm);
    for (const by of isLimited ? (['terms', 'both'] as const) : (['terms'] as const)) {
      const key = { by, terms };
      const rows = countRows((pattern) => (pattern.terms & bits) === bits && (by === 'terms' || pattern.isInRange));
      const time = timeOfTerms + (by === 'both' ? COMBINED_ENTRY * inRange : 0) + rows * (isExact(key, conditions) ? 1 : 1 + COMPARISON);
      if (time < best.time) best = { key, time };
    }
  }
  return best.key;
}

/** The term of the creator, if the index of creators contains all that the find needs. */
const creatorOf = ({ scope, terms }: MediaConditions): readonly string[] => (scope === 'creator' ? terms.slice(1) : []);

/** The time until the index of terms has found the rows that have all of them. It skips most rows of the more frequent terms. */
function timeToFind(terms: readonly string[], countRows: (term: string) => number): number {
  const [beginnings, others] = [terms.filter(isBeginning), terms.filter((term) => !isBeginning(term) && !isNegated(term))];
  const rarest = others.length === 0 ? 0 : Math.min(...others.map(countRows));
  return TERM_ENTRY * rarest * others.length + BEGINNING_ENTRY * beginnings.reduce((sum, term) => sum + countRows(term), 0);
}

const hasBit = (bits: number, n: number): boolean => (bits & (1 << n)) !== 0;
const isBeginning = (term: string): boolean => term.endsWith(':*');
const isNegated = (term: string): boolean => term.startsWith('!');

/** Whether the index of terms finds by all conditions except the state and the ranges. */
const isExact = (key: { readonly terms: readonly string[] }, { terms, longTags }: MediaConditions): boolean =>
  longTags === null && terms.slice(1).every((term) => key.terms.includes(term)); // the first is the term of the state

/** Chooses the index of a count. Those of dates and sizes also contain type, extension and creator, so no other one has to be read. */
export const keyToCount = (conditions: MediaConditions, { sort }: FindOrdering, sample: FindSample): LookUpKey =>
  chooseKey(conditions, sample, conditions.columns !== null && sort !== 'name');

/** Rows found by all conditions need not be compared with them again, which would take longer than finding them. */
export function foundBy(key: LookUpKey, conditions: MediaConditions): { found: Found; terms: string } {
  const { state, columns } = conditions;
  if (key.by === 'ranges') return { found: { by: 'ranges', isExact: columns !== null, state }, terms: '' };
  return { found: { by: key.by, isExact: isExact(key, conditions), state }, terms: key.terms.join(' & ') };
}
