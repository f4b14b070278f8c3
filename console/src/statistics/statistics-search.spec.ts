import { describe, expect, it } from '@jest/globals';
import { daysBetween, periodOf, readStatisticsSearch } from './statistics-search.js';

describe('the address of the statistics', () => {
  it('keeps what it knows and leaves out the rest and what is the default', () => {
    const known = { from: '2026-11-01', by: 'host', figure: 'bytes', mediaContainer: 7, host: 'www.example.org', device: 'phone' };
    expect(readStatisticsSearch({ ...known, to: 'soon', embedLink: -1, other: 1 })).toEqual(known);
    expect(readStatisticsSearch({ by: 'day', figure: 'plays', host: '', device: 'toaster' })).toEqual({});
  });

  it('reads a rule or host of digits as words', () => {
    expect(readStatisticsSearch({ host: 127, rule: 5 })).toEqual({ host: '127', rule: '5' });
  });

  it('means the last 30 days of UTC without a period', () => {
    expect(periodOf({}, new Date('2026-03-01T23:30:00Z'))).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  });

  it('lists every day of a period, over the end of months and at most 366', () => {
    expect(daysBetween('2028-02-28', '2028-03-01')).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
    expect(daysBetween('2026-01-02', '2026-01-01')).toEqual([]);
    expect(daysBetween('2020-01-01', '2026-01-01')).toHaveLength(366);
  });
});
