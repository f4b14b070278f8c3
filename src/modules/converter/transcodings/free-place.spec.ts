import { describe, expect, it } from '@jest/globals';
import { findFreePlace, placesOf } from './free-place.js';

const film = (customerId: number) => ({ isLong: true, customerId });
const picture = (customerId: number) => ({ isLong: false, customerId });
const TWO = { places: 2, lastPlaceSeconds: 600 };
const LAST = { maxExpectedSeconds: 600, withoutCustomers: [] };
const ANY = { maxExpectedSeconds: null, withoutCustomers: [] };

it.each([
  [1, 1, 2],
  [2, 1, 2],
  [2, 2, 2],
  [8, 1, 5],
  [8, 2, 3],
  [8, 8, 2],
])('a machine with %i cores and %i web processes has places in each', (cores, processes, places) => {
  expect(placesOf(cores, processes)).toBe(places);
});

describe('the next free place', () => {
  it('is for any work of its kind while there is another one', () => {
    expect(findFreePlace(false, [film(1), film(1)], TWO)).toEqual({ isLong: false, ...ANY });
    expect(findFreePlace(true, [picture(1), picture(1)], TWO)).toEqual({ isLong: true, ...ANY });
  });

  it('is for work that ends soon if it is the last one', () => {
    expect(findFreePlace(true, [film(1), picture(2)], TWO)).toEqual({ isLong: true, ...LAST });
  });

  it('is for short work of others if it is the last one', () => {
    const taken = [picture(1), picture(2), film(3)];
    expect(findFreePlace(false, taken, { ...TWO, places: 3 })).toEqual({ isLong: false, ...LAST, withoutCustomers: [1, 2] });
  });

  it('is not found while all are taken', () => {
    expect(findFreePlace(true, [film(1), film(2), picture(3)], TWO)).toBeNull();
    expect(findFreePlace(false, [picture(1), picture(2)], TWO)).toBeNull();
  });
});
