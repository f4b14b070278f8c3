import { describe, expect, it } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { Counts } from './counts.js';

/** Counts whose writes fail with these errors, one after the other; undefined: a write succeeds. */
function countsFailing(...failures: (Error | undefined)[]) {
  const written: Record<string, number>[] = [];
  const { log, lines } = capturedLog();
  const counts = new Counts<number>(
    {
      name: 'visits',
      merge: (one, other) => one + other,
      write: async (rows) => {
        const failure = failures.shift();
        if (failure) throw failure;
        written.push(Object.fromEntries(rows));
        return new Map();
      },
    },
    log,
  );
  return { counts, written, lines };
}

const refusal = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });
const outage = () => new Error('Connection terminated unexpectedly');

describe('counts', () => {
  it('are added up by their keys, and written once', async () => {
    const { counts, written } = countsFailing();
    for (const key of ['a', 'b', 'a']) counts.add(key, 1);
    await counts.write();
    await counts.write();
    expect(written).toEqual([{ a: 2, b: 1 }]);
  });

  it('are written with the next ones if PostgreSQL has refused them', async () => {
    const { counts, written } = countsFailing(refusal(), refusal());
    counts.add('a', 1);
    await counts.write();
    counts.add('a', 2);
    await counts.write();
    counts.add('b', 1);
    await counts.write();
    expect(written).toEqual([{ a: 3, b: 1 }]);
  });

  it('are lost if it does not say whether it has written them, so that nothing is counted twice', async () => {
    const { counts, written, lines } = countsFailing(outage());
    counts.add('a', 1);
    await counts.write();
    counts.add('a', 5);
    await counts.write();
    expect(written).toEqual([{ a: 5 }]);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'counts were lost', counts: 'visits', rows: 1 }));
  });

  it('are lost if they are always refused, so that they do not block later ones', async () => {
    const { counts, written } = countsFailing(refusal(), refusal(), refusal());
    counts.add('a', 1);
    for (let n = 0; n < 3; n += 1) await counts.write();
    counts.add('b', 1);
    await counts.write();
    expect(written).toEqual([{ b: 1 }]);
  });

  it('stay for the next write where it asks for that, and those that were added meanwhile come later', async () => {
    const written: string[] = [];
    let isLocked = true;
    const counts: Counts<string> = new Counts<string>(
      {
        name: 'links',
        merge: (one, other) => `${one}${other}`,
        write: async (rows) => {
          if (isLocked) counts.add('a', '2');
          else written.push(...rows.values());
          return isLocked ? rows : new Map();
        },
      },
      capturedLog().log,
    );
    counts.add('a', '1');
    await counts.write();
    isLocked = false;
    await counts.write();
    expect(written).toEqual(['12']);
  });

  it('take bounded memory', async () => {
    const { counts, written } = countsFailing();
    for (let n = 0; n < 50_010; n += 1) counts.add(String(n), 1);
    counts.add('0', 1);
    await counts.write();
    expect([Object.keys(written[0] ?? {}).length, written[0]?.['0']]).toEqual([50_000, 2]);
  });
});
