import { describe, expect, it, jest } from '@jest/globals';
import { isDatabaseDown } from '../errors.js';
import { TransactionPlaces } from './transaction-places.js';

describe('the places of transactions', () => {
  it('are given in the order of the calls as they become free', async () => {
    const places = new TransactionPlaces(2, 10_000);
    const entered: number[] = [];
    const calls = [1, 2, 3, 4].map(async (n) => {
      await places.take();
      entered.push(n);
    });
    await Promise.all(calls.slice(0, 2));
    expect([entered, places.waitingCount]).toEqual([[1, 2], 2]);
    places.release();
    await calls[2];
    places.release();
    await calls[3];
    expect([entered, places.waitingCount]).toEqual([[1, 2, 3, 4], 0]);
    places.release();
    await places.take(); // it was free again
  });

  it('are waited for as long as a connection, and a call that gave up takes none', async () => {
    jest.useFakeTimers();
    try {
      const places = new TransactionPlaces(1, 10_000);
      await places.take();
      const late = places.take().catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(isDatabaseDown(await late)).toBe(true);
      places.release();
      await places.take();
    } finally {
      jest.useRealTimers();
    }
  });
});
