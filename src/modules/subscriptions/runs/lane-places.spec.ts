import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LaneLimits, LanePlaces } from './lane-places.js';

const customerOf = (lane: string) => lane.split(' ')[0] ?? '';
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const lanes = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 })).map(([customer, host]) => `${customer} ${host}.example`),
  { maxLength: 300 },
);

/** Places in which so many rounds of these lanes have begun. */
function busy(occupied: readonly string[]) {
  const places = new LanePlaces(new LaneLimits());
  for (const { lane, places: count } of places.distribute(occupied)) for (let n = 0; n < count; n += 1) places.occupy(lane);
  return places;
}

describe('the free places of a process', () => {
  it('go to one lane up to its limit', () => {
    const places = new LanePlaces(new LaneLimits());
    expect(places.distribute(['1 a.example'])).toEqual([{ lane: '1 a.example', places: 8 }]);
    for (let n = 0; n < 5; n += 1) places.occupy('1 a.example');
    expect(places.distribute(['1 a.example', '1 b.example'])).toEqual([
      { lane: '1 a.example', places: 3 },
      { lane: '1 b.example', places: 8 },
    ]);
    places.release('1 a.example');
    expect(places.distribute(['1 a.example'])).toEqual([{ lane: '1 a.example', places: 4 }]);
  });

  it('go to 64 tries of a customer at most, however many lanes it has', () => {
    const many = Array.from({ length: 100 }, (_, n) => `1 ${n}.example`);
    const shares = new LanePlaces(new LaneLimits()).distribute(many);
    expect(sum(shares.map(({ places }) => places))).toBe(64);
    expect(shares.filter(({ places }) => places === 1)).toHaveLength(64);
  });

  it('are not all taken by a hundred customers who came first', () => {
    const crowd = Array.from({ length: 1_000 }, (_, n) => `${n % 100} ${n}.example`);
    const places = busy(crowd);
    expect(places.free).toBeGreaterThan(0);
    expect(places.distribute(['newcomer a.example'])[0]?.places).toBeGreaterThan(0);
  });

  it('stay within every limit, and every lane has one before any has two', () => {
    fc.assert(
      fc.property(lanes, lanes, (occupied, asking) => {
        const places = busy(occupied);
        const { free } = places;
        const shares = places.distribute(asking);
        expect(shares.map(({ lane }) => lane)).toEqual(asking);
        expect(places.free).toBe(free);
        expect(sum(shares.map((share) => share.places))).toBeLessThanOrEqual(free);
        const before = new LanePlaces(new LaneLimits()).distribute(occupied);
        for (const customer of new Set(asking.map(customerOf))) {
          const ofCustomer = [...shares, ...before].filter(({ lane }) => customerOf(lane) === customer);
          expect(sum(ofCustomer.map((share) => share.places))).toBeLessThanOrEqual(64);
          const fresh = shares.filter(({ lane }) => customerOf(lane) === customer && !occupied.includes(lane)).map((share) => share.places);
          if (Math.max(0, ...fresh) > 1) expect(Math.min(...fresh)).toBeGreaterThan(0);
        }
      }),
    );
  });
});

const quick = { statusCode: 200, succeeded: true, durationMs: 20 };
const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n += 1) work();
};

describe('the limit of a lane', () => {
  it('grows with quick successes, up to 32', () => {
    const limits = new LaneLimits();
    expect(limits.limitOf('a')).toBe(8);
    times(9, () => limits.recordAttempt('a', quick));
    expect(limits.limitOf('a')).toBe(9);
    times(10_000, () => limits.recordAttempt('a', quick));
    expect(limits.limitOf('a')).toBe(32);
  });

  it.each([0, 429, 503])('halves with each status %i, down to 2', (statusCode) => {
    const limits = new LaneLimits();
    const seen = [1, 2, 3, 4].map(() => {
      limits.recordAttempt('a', { statusCode, succeeded: false, durationMs: 15_000 });
      return limits.limitOf('a');
    });
    expect(seen).toEqual([4, 2, 2, 2]);
  });

  it.each([
    ['slow successes', { ...quick, durationMs: 2_000 }],
    ['answers that say no', { statusCode: 400, succeeded: false, durationMs: 20 }],
  ])('stays as it is with %s', (_what, ended) => {
    const limits = new LaneLimits();
    times(1_000, () => limits.recordAttempt('a', ended));
    expect(limits.limitOf('a')).toBe(8);
  });

  it('is of one lane alone, and comes back after a bad time', () => {
    const limits = new LaneLimits();
    times(5, () => limits.recordAttempt('a', { statusCode: 0, succeeded: false, durationMs: 1 }));
    expect([limits.limitOf('a'), limits.limitOf('b')]).toEqual([2, 8]);
    times(50, () => limits.recordAttempt('a', quick));
    expect(limits.limitOf('a')).toBeGreaterThan(8);
  });

  it('is forgotten when ten thousand other lanes were used since', () => {
    const limits = new LaneLimits();
    limits.recordAttempt('a', { statusCode: 0, succeeded: false, durationMs: 1 });
    for (let n = 0; n < 10_000; n += 1) limits.recordAttempt(`lane ${n}`, quick);
    expect(limits.limitOf('a')).toBe(8);
  });
});
