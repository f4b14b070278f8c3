import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SAMPLE_ROWS } from './media-finds.queries.js';
import {
  areGroupsFew,
  areNear,
  chooseKey,
  type FindSample,
  isComplete,
  isSurelyMany,
  MAX_COUNTED,
  rowsToBeSure,
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
  const rows = Math.min(containers, 2_000);
  return {
    rows,
    hits: Math.round((rows * matches) / containers),
    inRange: rows,
    groups: rows,
    last: 0,
    part: rows / containers,
    byTerm: [],
    inAnyState: 0,
    firstHit: 1,
    ahead: 0,
    until: null,
    ...more,
  };
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

  it('takes a larger sample if that is probably sufficient and cheaper than counting', () => {
    expect(rowsToBeSure(aSample({ matches: 20_000 }))).toBeGreaterThan(5_000);
    expect(rowsToBeSure(aSample({ matches: 20_000 }))).toBeLessThan(6_000);
    expect(rowsToBeSure(aSample({ matches: 14_000 }))).toBe(10_000);
    expect(rowsToBeSure({ ...aSample({ matches: 14_000 }), rows: 10_000, hits: 140, part: 0.01 })).toBe(12_000);
    expect(rowsToBeSure({ ...aSample({ matches: 14_000 }), rows: 12_000, hits: 168, part: 0.012 })).toBeNull();
    expect(rowsToBeSure(aSample({ matches: 12_000 }))).toBeNull();
    expect(rowsToBeSure(aSample({ matches: 5_000 }))).toBeNull();
  });

  it('reads as many rows as a page probably needs, but not very many', () => {
    expect(rowsToVisit(aSample({ containers: 300, matches: 10 }), 100)).toBe(SAMPLE_ROWS);
    expect(rowsToVisit(aSample({ matches: 1_000_000 }), 100)).toBe(250);
    expect(rowsToVisit(aSample({ matches: 100_000 }), 100)).toBe(1_600);
    expect(rowsToVisit(aSample({ matches: 5_000 }), 1_000)).toBe(20_000);
    expect([isComplete(aSample({ containers: SAMPLE_ROWS - 1 })), isComplete(aSample({ containers: SAMPLE_ROWS }))]).toEqual([true, false]);
  });

  it('reads the first rows only if the sample has a match that is not far behind', () => {
    const tenth = { matches: 100_000 };
    expect([1, 60, 80, null].map((firstHit) => areNear(aSample({ ...tenth, firstHit, ahead: 2_000 })))).toEqual([true, true, false, false]);
    expect(areNear(aSample({ ...tenth, firstHit: null, ahead: 10 }))).toBe(true); // near the end of the list
    expect(areNear(aSample({ containers: 300, matches: 3, firstHit: 290 }))).toBe(true);
  });

  it('reads on to matches that are far behind, unless looking all of them up is cheaper', () => {
    expect(rowsToReach(aSample({ matches: 500_000, ahead: 999 }))).toBe(750_000);
    expect(rowsToReach(aSample({ matches: 200_000, ahead: 1_599 }))).toBeNull();
  });

  it('counts the groups of all containers if they are few, but reads few matches, or containers that have little in common', () => {
    const half = { matches: 500_000 };
    expect(areGroupsFew(aSample({ ...half, groups: 1_000 }))).toBe(true);
    expect(areGroupsFew(aSample({ ...half, groups: 1_999 }))).toBe(false);
    expect(areGroupsFew(aSample({ ...half, groups: 2_000 }))).toBe(false);
    expect(areGroupsFew(aSample({ matches: 50_000, groups: 1_000 }))).toBe(false);
  });

  it('looks up rare terms without frequent beginnings of words, else terms that not most containers have, in a range if there is one', () => {
    const terms = [`'1:sactive'`, `'1:wfilm':*`, `'1:wzeppelin':*`, `!'1:f9'`];
    const [active, film, zeppelin, missing] = terms;
    expect(termsToMeasure(terms)).toEqual([zeppelin, active, film]);
    expect(termsToMeasure([`'1:sactive'`, `!'1:f9'`])).toEqual([]);
    const choose = (byTerm: number[], more = {}) => chooseKey(terms, aSample({ byTerm, ...more }));
    expect(choose([3, 1_900, 900])).toEqual({ by: 'terms', terms: [zeppelin, missing] });
    expect(choose([3, 90, 900])).toEqual({ by: 'terms', terms: [active, zeppelin, missing] });
    expect(choose([3, 1_900, 90], { inRange: 9 })).toEqual({ by: 'both', terms: [film, zeppelin, missing] });
    expect(choose([3, 1_900, 90], { inRange: 80 })).toEqual({ by: 'terms', terms: [film, zeppelin, missing] });
    expect(choose([900, 1_900, 900])).toEqual({ by: 'terms', terms: [film, zeppelin, missing] });
    expect(choose([900, 1_900, 900], { inRange: 9 })).toEqual({ by: 'both', terms: [film, zeppelin, missing] });
    expect(choose([900, 1_900, 900], { matches: 100_000, inAnyState: 300 })).toEqual({ by: 'terms', terms });
    expect(choose([900, 1_900, 900], { matches: 100_000, inAnyState: 220 })).toEqual({ by: 'terms', terms: [film, zeppelin, missing] });
    expect(choose([1_900, 1_900, 1_900])).toEqual({ by: 'terms', terms });
    expect(choose([1_900, 1_900, 1_900], { inRange: 9 })).toEqual({ by: 'ranges' });
  });
});
