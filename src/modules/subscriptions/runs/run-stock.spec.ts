import { describe, expect, it } from '@jest/globals';
import type { ClaimedRun } from './claimed-run.js';
import { RunStock } from './run-stock.js';

const quick = { statusCode: 200, succeeded: true, durationMs: 5 };
const dead = { statusCode: 0, succeeded: false, durationMs: 15_000 };
const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n += 1) work();
};

let count = 0;
const aRun = (lane: string) => {
  count += 1;
  return { id: String(count), lane } as ClaimedRun;
};

/** A stock whose lanes are known to go well. */
function stockWhere(...lanes: string[]) {
  const stock = new RunStock();
  for (const lane of lanes) {
    times(1_000, () => {
      stock.put(aRun(lane));
      stock.begin(lane);
      stock.end(lane, quick);
    });
  }
  return stock;
}

describe('the stock of runs', () => {
  it('orders no more of an unknown lane than may begin', () => {
    expect(new RunStock().order(['1 a.example'])).toEqual([{ lane: '1 a.example', begin: 8, claim: 8 }]);
  });

  it('orders some rounds ahead of a lane that goes well, and more when half of them have begun', () => {
    const stock = stockWhere('1 a.example');
    expect(stock.order(['1 a.example'])).toEqual([{ lane: '1 a.example', begin: 32, claim: 160 }]);
    times(160, () => stock.put(aRun('1 a.example')));
    times(32, () => expect(stock.begin('1 a.example')).not.toBeNull());
    expect(stock.begin('1 a.example')).toBeNull();
    expect([stock.isLow('1 a.example'), stock.order(['1 a.example'])]).toEqual([false, [{ lane: '1 a.example', begin: 0, claim: 0 }]]);
    times(64, () => {
      stock.end('1 a.example', null);
      stock.begin('1 a.example');
    });
    expect([stock.isLow('1 a.example'), stock.order(['1 a.example'])]).toEqual([true, [{ lane: '1 a.example', begin: 0, claim: 64 }]]);
  });

  it('orders a thousand ahead of all lanes together, for each brings its instructions along', () => {
    const lanes = Array.from({ length: 20 }, (_, n) => `1 ${n}.example`);
    const stock = stockWhere(...lanes);
    const ahead = () => stock.order(lanes).reduce((sum, { begin, claim }) => sum + claim - begin, 0);
    expect(ahead()).toBe(1_024);
    times(1_000, () => stock.put(aRun('1 0.example')));
    expect(ahead()).toBe(24);
  });

  it('gives the runs of one customer back, and of no other', () => {
    const stock = new RunStock();
    const runs = ['1 a.example', '1 api', '11 a.example', '2 a.example'].map(aRun);
    for (const run of runs) stock.put(run);
    expect(stock.clearOf('1')).toEqual(runs.slice(0, 2));
    expect(stock.waiting).toEqual(runs.slice(2));
  });

  it('begins in the order of the queue', () => {
    const stock = new RunStock();
    const runs = [aRun('1 a.example'), aRun('1 a.example'), aRun('1 b.example')];
    for (const run of runs) stock.put(run);
    expect([stock.begin('1 a.example'), stock.begin('1 b.example'), stock.begin('1 a.example'), stock.begin('1 a.example')]).toEqual([
      runs[0],
      runs[2],
      runs[1],
      null,
    ]);
  });

  it('gives up what belongs to a lane that does not go well any more', () => {
    const stock = stockWhere('1 a.example', '1 b.example');
    for (const lane of ['1 a.example', '1 b.example']) times(100, () => stock.put(aRun(lane)));
    times(32, () => stock.begin('1 a.example'));
    expect(stock.surplus()).toEqual([]);
    times(2, () => stock.end('1 a.example', dead));
    const surplus = stock.surplus();
    expect(surplus).toHaveLength(68);
    expect(surplus.every(({ lane }) => lane === '1 a.example')).toBe(true);
    expect(stock.waiting).toHaveLength(100);
    expect(stock.clearAll()).toHaveLength(100);
    expect(stock.waiting).toEqual([]);
  });

  it('shares places with what is in the queue where a customer has too much', () => {
    const stock = stockWhere('1 a.example', '1 b.example');
    for (const lane of ['1 a.example', '1 b.example']) {
      times(100, () => stock.put(aRun(lane)));
      times(32, () => stock.begin(lane));
    }
    expect(stock.order(['1 c.example'])).toContainEqual({ lane: '1 c.example', begin: 0, claim: 0 });
    expect(stock.contended).toBe(true);
    times(3, () => stock.end('1 a.example', null));
    expect(stock.order(['1 c.example'])).toContainEqual({ lane: '1 c.example', begin: 2, claim: 2 });
    expect(new RunStock().contended).toBe(false);
  });
});
