import { afterEach, describe, expect, it } from '@jest/globals';
import { LimitedThread, ThreadLimitExceeded } from './limited-thread.js';

/** A thread that runs the texts that it gets as functions. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
    parentPort.on('message', async (text) => parentPort.postMessage(await eval(text)()));
    const end = Date.now() + 1_200; // a slow start
    while (Date.now() < end);
    parentPort.postMessage(null);`)}`,
);

describe('a thread with limits', () => {
  const thread = new LimitedThread<string, unknown>(program, { maxMs: 1_000, maxHeapMb: 16 });
  afterEach(async () => await thread.end());

  it('computes one input after the other, and does not count the start of the thread as time of an input', async () => {
    const inputs = ['() => 1', 'async () => 2', '() => [3]'];
    expect(await Promise.all(inputs.map(async (input) => await thread.run(input, 1)))).toEqual([1, 2, [3]]);
  });

  it.each([
    ['takes too long', '() => { for (;;); }'],
    ['takes too much memory', '() => { const all = []; for (;;) all.push(new Array(1000).fill({})); }'],
  ])('ends an input that %s, and computes the next one', async (words, endless) => {
    const [ended, next] = await Promise.allSettled([thread.run(endless, 1), thread.run('() => 4', 1)]);
    expect(ended).toEqual({ status: 'rejected', reason: new ThreadLimitExceeded(`The computation ${words}.`) });
    expect(next).toEqual({ status: 'fulfilled', value: 4 });
  });

  it('reports an error of the computation, and computes the next one', async () => {
    await expect(thread.run(`() => { throw new Error('damaged'); }`, 1)).rejects.toThrow('damaged');
    expect(await thread.run('() => 5', 1)).toBe(5);
  });
});
