import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SharedWork, WorkInTurn } from './shared-work.js';

const counted = <Result>(work: (call: number) => Promise<Result>) => {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    start: async () => {
      calls += 1;
      return await work(calls);
    },
  };
};

describe('shared work', () => {
  it('starts once for simultaneous callers, and again for later ones', async () => {
    const work = counted(async (call) => call);
    const shared = new SharedWork<number>();
    expect(await Promise.all([shared.get(work.start), shared.get(work.start)])).toEqual([1, 1]);
    expect(await shared.get(work.start)).toBe(2);
  });

  it('keeps its result for as long as it is told, or until it is forgotten', async () => {
    let now = 0;
    const work = counted(async (call) => call);
    const shared = new SharedWork<number>({ keptMs: 60, now: () => now });
    expect(await shared.get(work.start)).toBe(1);
    now = 59;
    expect(await shared.get(work.start)).toBe(1);
    now = 60;
    expect(shared.find()).toBeNull();
    expect(await shared.get(work.start)).toBe(2);
    shared.forget();
    expect(await shared.get(work.start)).toBe(3);
  });

  it('forgets failures, which every caller that waits receives', async () => {
    const work = counted(async (call) => {
      if (call === 1) throw new Error('away');
      return call;
    });
    const shared = new SharedWork<number>({ keptMs: Number.POSITIVE_INFINITY });
    const answers = await Promise.allSettled([shared.get(work.start), shared.get(work.start)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.get(work.start)).toBe(2);
  });

  it('never rejects without being heard, even if the caller that started it has left', async () => {
    const shared = new SharedWork<number>();
    void shared.get(async () => {
      throw new Error('away');
    });
    void shared.get(() => {
      throw new Error('away at once');
    });
    await shared.settled();
    await setImmediate(); // a rejection for which no code waits would make the test fail
    expect(shared.size).toBe(0);
  });

  it('is told apart by keys, of which a limited number is kept', async () => {
    const shared = new SharedWork<string, string>({ keptMs: Number.POSITIVE_INFINITY, limit: 2 });
    for (const key of ['a', 'b', 'c']) expect(await shared.get(async () => key, key)).toBe(key);
    expect([shared.size, shared.find('a'), await shared.find('c')]).toEqual([1, null, 'c']);
  });
});

describe('work in turn', () => {
  it('runs in the order of the calls, also after a failure', async () => {
    const turns = new WorkInTurn();
    const done: number[] = [];
    const first = turns.run(async () => {
      await setImmediate();
      done.push(1);
      throw new Error('away');
    });
    const second = turns.run(async () => done.push(2));
    expect((await Promise.allSettled([first, second])).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(done).toEqual([1, 2]);
  });
});
