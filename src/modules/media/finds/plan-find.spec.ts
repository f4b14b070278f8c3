import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MediaConditions } from './media-filter.js';
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
    groups: rows,
    last: 0,
    part: rows / containers,
    patterns: [],
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

  describe('chooses the key that finds the matches in the shortest time', () => {
    const OUTSIDE = 'outside';
    const [active, film, zeppelin, tag, missing] = [`'1:sactive'`, `'1:wfilm':*`, `'1:wzeppelin':*`, `'1:ttag'`, `!'1:f9'`];
    const conditions = { longTags: null, columns: null, scope: 'container', state: 'active' } as unknown as MediaConditions;
    /** Chooses a key for a sample with so many rows of each combination of terms; OUTSIDE: they are not in the ranges. */
    const choose = (
      terms: readonly string[],
      patterns: readonly (readonly [rows: number, ...terms: string[]])[],
      more = {},
      isCovered = false,
    ) => {
      const measured = termsToMeasure(terms);
      const bitsOf = (some: string[]) =>
        some.filter((term) => term !== OUTSIDE).reduce((sum, term) => sum + 2 ** measured.indexOf(term), 0);
      const key = chooseKey(
        { ...conditions, terms, ...more },
        aSample({ patterns: patterns.map(([rows, ...some]) => ({ rows, terms: bitsOf(some), isInRange: !some.includes(OUTSIDE) })) }),
        isCovered,
      );
      return {
        by: key.by,
        terms: key.by === 'ranges' ? [] : key.terms.toSorted((one, other) => terms.indexOf(one) - terms.indexOf(other)),
      };
    };

    it('looks up rare terms without frequent beginnings of words', () => {
      const terms = [active, film, zeppelin, missing];
      expect(
        choose(terms, [
          [900, active, film, missing],
          [1_000, active, missing],
          [97, active],
          [3, active, film, zeppelin, missing],
        ]),
      ).toEqual({ by: 'terms', terms: [zeppelin] });
    });

    it('looks up terms that many containers have with those that exclude many of them', () => {
      const most = [900, active] as const;
      expect(choose([active, film, tag], [most, [500, active, film], [400, active, tag], [20, active, film, tag]]).terms).toEqual([
        film,
        tag,
      ]);
      expect(choose([active, tag], [most, [400, tag], [100, active, tag]])).toEqual({ by: 'terms', terms: [active, tag] });
      expect(choose([active, tag], [most, [10, tag], [400, active, tag]])).toEqual({ by: 'terms', terms: [tag] });
    });

    it('combines terms with a range that excludes many of their rows', () => {
      const outside = [300, active, tag, OUTSIDE] as const;
      expect(choose([active, tag], [[1_600, active], outside, [100, active, tag]])).toEqual({ by: 'both', terms: [tag] });
      expect(choose([active, tag], [[100, active], outside, [2, active, tag]])).toEqual({ by: 'both', terms: [tag] });
      expect(choose([active, tag], [[10, active], outside, [1_690, active, OUTSIDE], [1, active, tag]])).toEqual({
        by: 'ranges',
        terms: [],
      });
    });

    it('reads only the index of a range, or of creators, if it contains all that the find needs', () => {
      const creator = `'1:c7'`;
      const few = [
        [300, active],
        [60, active, creator, OUTSIDE],
        [40, active, creator],
      ] as const;
      expect(choose([active], few, {}, true)).toEqual({ by: 'ranges', terms: [] });
      expect(choose([active, creator], few, {}, true)).toEqual({ by: 'ranges', terms: [] });
      expect(choose([active, creator], [...few, [9_000, active]], {}, true)).toEqual({ by: 'terms', terms: [creator] });
      expect(choose([active, creator], [...few, [9_000, active]], { scope: 'creator' }, true)).toEqual({ by: 'ranges', terms: [] });
    });
  });
});
