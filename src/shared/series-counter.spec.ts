import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { codeOfReason, SeriesCounter, seriesByValue } from './series-counter.js';

describe('a counter whose series are known in advance', () => {
  const counter = new SeriesCounter({ name: 'things_total', help: 'Things.', labels: ['kind', 'colour'] });

  it('exports each series with its sum, also before anything was counted', async () => {
    const { large, small } = seriesByValue(counter, 'kind', ['large', 'small'], { colour: 'red' });
    counter.series({ colour: 'a "quoted"\nblue', kind: 'small' }).count += 2;
    large.count += 1;
    large.count += 1;
    expect(counter.series({ colour: 'red', kind: 'large' })).toBe(large);
    expect(small.count).toBe(0);
    const lines = (await register.getSingleMetricAsString('things_total')).split('\n').slice(2);
    const expected = [
      'things_total{kind="large",colour="red"} 2',
      'things_total{kind="small",colour="red"} 0',
      'things_total{kind="small",colour="a \\"quoted\\"\\nblue"} 2',
    ];
    expect(lines).toEqual(expected);
    expect((await register.getSingleMetricAsString('things_total')).split('\n').slice(2)).toEqual(expected);
  });
});

describe('the code of a reason', () => {
  it.each([
    ['timeout: hooks.example.org did not answer', 'timeout'],
    ['http-4xx', 'http-4xx'],
    ['ada@example.org: a sentence of a receiver', 'other'],
    ['', 'other'],
  ])('is one of those that are known: %s', (reason, code) => {
    expect(codeOfReason(reason, new Set(['timeout', 'http-4xx']))).toBe(code);
  });
});
