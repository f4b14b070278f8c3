import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BatchedStatement } from './batched-statement.js';

/** Lets everything that was scheduled happen. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A statement whose answers are held back until they are let go; `asked` are the keys of each run, in order. */
function heldStatement() {
  const asked: (readonly number[])[] = [];
  const open: (() => void)[] = [];
  const batch = new BatchedStatement(String, async (keys: readonly number[]) => {
    asked.push(keys);
    await new Promise<void>((resolve) => open.push(resolve));
    return new Map(keys.filter((key) => key >= 0).map((key) => [String(key), key * 10]));
  });
  return { batch, asked, letGo: () => open.shift()?.() };
}

const pgError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code });

describe('calls that share a statement', () => {
  it('each get their value or null from one statement', async () => {
    const { batch, asked, letGo } = heldStatement();
    const answers = Promise.all([1, 2, -1, 2].map((key) => batch.run(key)));
    await settled();
    letGo();
    expect(await answers).toEqual([10, 20, null, 20]);
    expect(asked).toEqual([[1, 2, -1, 2]]);
  });

  it('never get the result of an earlier statement, so that they see changes', async () => {
    const { batch, asked, letGo } = heldStatement();
    const answered: number[] = [];
    const run = (key: number) => void batch.run(key).then((value) => answered.push(value ?? -1));
    run(1);
    await settled();
    run(1);
    await settled();
    letGo();
    await settled();
    expect([asked, answered]).toEqual([[[1], [1]], [10]]);
  });

  it('go past one that takes long; later ones wait together, and all get a result', async () => {
    const { batch, asked, letGo } = heldStatement();
    const answers: Promise<number | null>[] = [];
    for (const keys of [[1], [2], [3], [4, 5]]) {
      answers.push(...keys.map((key) => batch.run(key)));
      await settled();
    }
    expect(asked).toEqual([[1], [2]]);
    letGo();
    await settled();
    expect(asked).toEqual([[1], [2], [3, 4, 5]]);
    letGo();
    letGo();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
  });

  it('are all answered, whatever comes when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fc.nat(3)), { maxLength: 40 }), async (calls) => {
        const batch = new BatchedStatement(String, async (keys: readonly number[]) => {
          await new Promise((resolve) => setImmediate(resolve));
          return new Map(keys.map((key) => [String(key), key]));
        });
        const answers: Promise<number | null>[] = [];
        for (const [key, turns] of calls) {
          answers.push(batch.run(key));
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        }
        expect(await Promise.all(answers)).toEqual(calls.map(([key]) => key));
      }),
    );
  });

  it.each(['23505', '22P02', '21000', '40P01', '40001'])('fail alone where PostgreSQL refused one of them (%s)', async (code) => {
    const runs: number[] = [];
    const batch = new BatchedStatement(String, async (keys: readonly number[]) => {
      runs.push(keys.length);
      if (keys.includes(2)) throw pgError(code);
      return new Map(keys.map((key) => [String(key), key]));
    });
    const results = await Promise.allSettled([1, 2, 3].map((key) => batch.run(key)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))).toEqual([1, code, 3]);
    expect(runs).toEqual([3, 1, 1, 1]);
    expect(await batch.run(1)).toBe(1);
  });

  it('fail together, once, when the statement may have done its work', async () => {
    for (const failure of [new Error('Connection terminated unexpectedly'), pgError('57P01'), pgError('08006'), null]) {
      let runs = 0;
      const batch = new BatchedStatement(String, async () => {
        runs += 1;
        throw failure;
      });
      const results = await Promise.allSettled([1, 2].map((key) => batch.run(key)));
      expect([runs, ...results]).toEqual([1, { status: 'rejected', reason: failure }, { status: 'rejected', reason: failure }]);
    }
  });

  it('continue after a failure', async () => {
    let fails = true;
    const batch = new BatchedStatement(String, async (keys: readonly number[]) => {
      if (fails) throw new Error('down');
      return new Map(keys.map((key) => [String(key), key]));
    });
    for (let round = 0; round < 5; round += 1) await expect(batch.run(1)).rejects.toThrow('down');
    fails = false;
    expect(await batch.run(1)).toBe(1);
  });
});
