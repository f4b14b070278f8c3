import { describe, expect, it } from '@jest/globals';
import { CacheBudget } from './caches.service.js';

/** A cache that holds texts of so many bytes. */
function aCache(budget: CacheBudget) {
  const entries = new Map<string, object>();
  const put = (name: string, bytes: number) => {
    const entry = { name };
    entries.set(name, entry);
    budget.add(entry, 'x'.repeat(bytes / 2 - 2), () => {
      entries.delete(name);
      budget.release(entry);
    });
  };
  return { put, use: (name: string) => budget.markUsed(entries.get(name) ?? {}), names: () => [...entries.keys()] };
}

describe('the memory of caches', () => {
  it('is one budget for all of them, with the least recently used entries dropped first', () => {
    const budget = new CacheBudget(1_000);
    const [first, second] = [aCache(budget), aCache(budget)];
    first.put('a', 400);
    second.put('b', 400);
    first.use('a');
    second.put('c', 400);
    expect([first.names(), second.names(), budget.bytes]).toEqual([['a'], ['c'], 800]);
  });

  it('does not store a value larger than the budget, and keeps the others', () => {
    const budget = new CacheBudget(1_000);
    const cache = aCache(budget);
    cache.put('a', 400);
    cache.put('b', 2_000);
    expect([cache.names(), budget.bytes]).toEqual([['a'], 400]);
  });
});
