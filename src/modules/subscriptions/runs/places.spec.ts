import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LaneLimits } from './lane-limits.js';
import { Places } from './places.js';

const customerOf = (lane: string) => lane.split(' ')[0] ?? '';
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const lanes = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 })).map(([customer, host]) => `${customer} ${host}.example`),
  { maxLength: 300 },
);

/** Places in which so many rounds of these lanes have begun. */
function busy(occupied: readonly string[]) {
  const places = new Places(new LaneLimits());
  for (const { lane, places: count } of places.share(occupied)) for (let n = 0; n < count; n += 1) places.take(lane);
  return places;
}

describe('the free places of a process', () => {
  it('go to one lane up to its limit', () => {
    const places = new Places(new LaneLimits());
    expect(places.share(['1 a.example'])).toEqual([{ lane: '1 a.example', places: 8 }]);
    for (let n = 0; n < 5; n += 1) places.take('1 a.example');
    expect(places.share(['1 a.example', '1 b.example'])).toEqual([
      { lane: '1 a.example', places: 3 },
      { lane: '1 b.example', places: 8 },
    ]);
    places.leave('1 a.example');
    expect(places.share(['1 a.example'])).toEqual([{ lane: '1 a.example', places: 4 }]);
  });

  it('go to 64 tries of a customer at most, however many lanes it has', () => {
    const many = Array.from({ length: 100 }, (_, n) => `1 ${n}.example`);
    const shares = new Places(new LaneLimits()).share(many);
    expect(sum(shares.map(({ places }) => places))).toBe(64);
    expect(shares.filter(({ places }) => places === 1)).toHaveLength(64);
  });

  it('are not all taken by a hundred customers who came first', () => {
    const crowd = Array.from({ length: 1_000 }, (_, n) => `${n % 100} ${n}.example`);
    const places = busy(crowd);
    expect(places.free).toBeGreaterThan(0);
    expect(places.share(['newcomer a.example'])[0]?.places).toBeGreaterThan(0);
  });

  it('stay within every limit, and every lane has one before any has two', () => {
    fc.assert(
      fc.property(lanes, lanes, (occupied, asking) => {
        const places = busy(occupied);
        const { free } = places;
        const shares = places.share(asking);
        expect(shares.map(({ lane }) => lane)).toEqual(asking);
        expect(places.free).toBe(free);
        expect(sum(shares.map((share) => share.places))).toBeLessThanOrEqual(free);
        const before = new Places(new LaneLimits()).share(occupied);
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
