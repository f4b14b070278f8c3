import { describe, expect, it } from '@jest/globals';
import { FairLimit } from './fair-limit.js';

/** Calls that end when they are told to, in the order in which they began. */
function calls(limit: FairLimit) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const call = (party: string, name: string) =>
    limit.run(party, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.push(end));
      return name;
    });
  /** Until everything that can begin has begun. */
  const settle = async () => await new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, call, endFirst, settle };
}

describe('a fair limit', () => {
  it('runs at most as many concurrent calls as it has slots, and returns their results', async () => {
    const { begun, call, endFirst, settle } = calls(new FairLimit(2));
    const all = Promise.all(['a', 'b', 'c'].map(async (name) => await call('one', name)));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await endFirst();
    expect(begun).toEqual(['a', 'b', 'c']);
    await endFirst();
    await endFirst();
    expect(await all).toEqual(['a', 'b', 'c']);
  });

  it('gives the parties their turns, however much one of them wants', async () => {
    const { begun, call, endFirst, settle } = calls(new FairLimit(1));
    const all = ['m1', 'm2', 'm3', 'm4'].map(async (name) => await call('many', name));
    all.push(call('few', 'f1'), call('other', 'o1'));
    await settle();
    for (let n = 0; n < 6; n += 1) await endFirst();
    await Promise.all(all);
    expect(begun).toEqual(['m1', 'm2', 'f1', 'o1', 'm3', 'm4']);
  });

  it('gives the slot of a call that fails to the next', async () => {
    const limit = new FairLimit(1);
    const failed = limit.run('one', async () => await Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(await limit.run('one', async () => 'next')).toBe('next');
  });
});
