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
      stock.add(aRun(lane));
      stock.startNext(lane);
      stock.finish(lane, quick);
    });
  }
  return stock;
}

describe('the stock of runs', () => {
  it('orders no more of an unknown lane than may begin', () => {
    expect(new RunStock().allocate(['1 a.example'])).toEqual([{ lane: '1 a.example', start: 8, claim: 8 }]);
  });

  it('orders some rounds ahead of a lane that goes well, and more when half of them have begun', () => {
    const stock = stockWhere('1 a.example');
    expect(stock.allocate(['1 a.example'])).toEqual([{ lane: '1 a.example', start: 32, claim: 160 }]);
    times(160, () => stock.add(aRun('1 a.example')));
    times(32, () => expect(stock.startNext('1 a.example')).not.toBeNull());
    expect(stock.startNext('1 a.example')).toBeNull();
    expect([stock.isLow('1 a.example'), stock.allocate(['1 a.example'])]).toEqual([false, [{ lane: '1 a.example', start: 0, claim: 0 }]]);
    times(64, () => {
      stock.finish('1 a.example', null);
      stock.startNext('1 a.example');
    });
    expect([stock.isLow('1 a.example'), stock.allocate(['1 a.example'])]).toEqual([true, [{ lane: '1 a.example', start: 0, claim: 64 }]]);
  });

  it('orders a thousand ahead of all lanes together, for each brings its instructions along', () => {
    const lanes = Array.from({ length: 20 }, (_, n) => `1 ${n}.example`);
    const stock = stockWhere(...lanes);
    const ahead = () => stock.allocate(lanes).reduce((sum, { start, claim }) => sum + claim - start, 0);
    expect(ahead()).toBe(1_024);
    times(1_000, () => stock.add(aRun('1 0.example')));
    expect(ahead()).toBe(24);
  });

  it('gives the runs of one customer back, and of no other', () => {
    const stock = new RunStock();
    const runs = ['1 a.example', '1 api', '11 a.example', '2 a.example'].map(aRun);
    for (const run of runs) stock.add(run);
    expect(stock.removeOfCustomer('1')).toEqual(runs.slice(0, 2));
    expect(stock.waiting).toEqual(runs.slice(2));
  });

  it('begins in the order of the queue', () => {
    const stock = new RunStock();
    const runs = [aRun('1 a.example'), aRun('1 a.example'), aRun('1 b.example')];
    for (const run of runs) stock.add(run);
    expect([
      stock.startNext('1 a.example'),
      stock.startNext('1 b.example'),
      stock.startNext('1 a.example'),
      stock.startNext('1 a.example'),
    ]).toEqual([runs[0], runs[2], runs[1], null]);
  });

  it('gives up what belongs to a lane that does not go well any more', () => {
    const stock = stockWhere('1 a.example', '1 b.example');
    for (const lane of ['1 a.example', '1 b.example']) times(100, () => stock.add(aRun(lane)));
    times(32, () => stock.startNext('1 a.example'));
    expect(stock.removeSurplus()).toEqual([]);
    times(2, () => stock.finish('1 a.example', dead));
    const surplus = stock.removeSurplus();
    expect(surplus).toHaveLength(68);
    expect(surplus.every(({ lane }) => lane === '1 a.example')).toBe(true);
    expect(stock.waiting).toHaveLength(100);
    expect(stock.removeAll()).toHaveLength(100);
    expect(stock.waiting).toEqual([]);
  });

  it('shares places with what is in the queue where a customer has too much', () => {
    const stock = stockWhere('1 a.example', '1 b.example');
    for (const lane of ['1 a.example', '1 b.example']) {
      times(100, () => stock.add(aRun(lane)));
      times(32, () => stock.startNext(lane));
    }
    expect(stock.allocate(['1 c.example'])).toContainEqual({ lane: '1 c.example', start: 0, claim: 0 });
    expect(stock.contended).toBe(true);
    times(3, () => stock.finish('1 a.example', null));
    expect(stock.allocate(['1 c.example'])).toContainEqual({ lane: '1 c.example', start: 2, claim: 2 });
    expect(new RunStock().contended).toBe(false);
  });
});
