import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SAMPLE_ROWS } from './media-finds.queries.js';
import {
  chooseKey,
  type FindSample,
  isComplete,
  isSurelyMany,
  MAX_COUNTED,
  rowsToReach,
  rowsToVisit,
  termsToMeasure,
} from './plan-find.js';

/** A sample of a customer with so many containers, of which so many match. */
const aSample = ({
  containers = 1_000_000,
  matches = 0,
  ...more
}: Partial<FindSample> & { containers?: number; matches?: number }): FindSample => {
  const rows = Math.min(containers, SAMPLE_ROWS);
  return { rows, hits: Math.round((rows * matches) / containers), inRange: rows, part: rows / containers, byTerm: [], ...more };
};

describe('the plan of a find', () => {
  it('takes a sample as proof of many matches only if fewer are practically impossible', () => {
    expect(isSurelyMany(aSample({ matches: 1_000_000 }))).toBe(true);
    expect(isSurelyMany(aSample({ matches: 40_000 }))).toBe(true);
    expect(isSurelyMany(aSample({ matches: 20_000 }))).toBe(false);
    expect(isSurelyMany(aSample({ containers: 12_000, matches: 12_000 }))).toBe(true);
    expect(isSurelyMany(aSample({ containers: 10_000, matches: 10_000 }))).toBe(false);
    fc.assert(
      fc.property(fc.integer({ min: SAMPLE_ROWS, max: 10_000_000 }), fc.integer({ min: 0, max: MAX_COUNTED }), (containers, matches) => {
        expect(isSurelyMany(aSample({ containers, matches: Math.min(containers, matches) }))).toBe(false);
      }),
    );
  });

  it('reads as many rows as a page probably needs, but not very many', () => {
    expect(rowsToVisit(aSample({ containers: 300, matches: 10 }), 100)).toBe(SAMPLE_ROWS);
    expect(rowsToVisit(aSample({ matches: 1_000_000 }), 100)).toBe(250);
    expect(rowsToVisit(aSample({ matches: 100_000 }), 100)).toBe(1_600);
    expect(rowsToVisit(aSample({ matches: 5_000 }), 1_000)).toBe(20_000);
    expect([isComplete(aSample({ containers: SAMPLE_ROWS - 1 })), isComplete(aSample({ containers: SAMPLE_ROWS }))]).toEqual([true, false]);
  });

  it('reads on to matches that are far behind, unless looking all of them up is cheaper', () => {
    const half = aSample({ matches: 500_000 });
    expect(rowsToReach(half, 999)).toBe(750_000);
    expect(rowsToReach(aSample({ matches: 200_000 }), 1_599)).toBeNull();
  });

  it('looks up rare terms without frequent beginnings of words, else a small range, else all terms', () => {
    const terms = [`'1:sactive'`, `'1:wfilm':*`, `'1:wzeppelin':*`, `!'1:f9'`];
    expect(termsToMeasure(terms)).toEqual([`'1:wzeppelin':*`, `'1:sactive'`, `'1:wfilm':*`]);
    expect(termsToMeasure([`'1:sactive'`, `!'1:f9'`])).toEqual([]);
    const byTerm = (...counts: number[]) => chooseKey(terms, aSample({ byTerm: counts }));
    expect(byTerm(3, 1_900, 900)).toEqual({ by: 'terms', terms: `'1:sactive' & '1:wzeppelin':* & !'1:f9'` });
    expect(byTerm(3, 1_900, 90)).toEqual({ by: 'terms', terms: terms.join(' & ') });
    expect(byTerm(900, 1_900, 900)).toEqual({ by: 'terms', terms: terms.join(' & ') });
    expect(chooseKey(terms, aSample({ byTerm: [900, 1_900, 900], inRange: 9 }))).toEqual({ by: 'ranges' });
  });
});
