import { expect, it } from '@jest/globals';
import { timelineOf } from './timeline';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const medium = { createdAt: '2026-01-01T00:00:00Z', start: null, end: null, license: null };

it('a medium without limits has no line of time', () => {
  expect(timelineOf(medium, NOW)).toBeNull();
});

it('places periods and today between the first and the last date', () => {
  const license = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' };
  const line = timelineOf({ ...medium, license }, NOW);
  expect(line?.periods).toHaveLength(1);
  const [period] = line?.periods ?? [];
  expect(period?.from).toBeCloseTo(100 / 12);
  expect(period?.to).toBeCloseTo(1_100 / 12);
  expect(line?.today).toBeGreaterThan(period?.from ?? 100);
  expect(line?.today).toBeLessThan(period?.to ?? 0);
});

it('a day without a time lasts until its end', () => {
  const [period] = timelineOf({ ...medium, end: '2026-06-01' }, NOW)?.periods ?? [];
  expect(period?.to).toBeGreaterThan(timelineOf({ ...medium, end: '2026-06-01' }, NOW)?.today ?? 100);
});

it('an open period reaches the border', () => {
  const [period] = timelineOf({ ...medium, end: '2026-03-01T00:00:00Z' }, NOW)?.periods ?? [];
  expect(period).toMatchObject({ kind: 'delivery', from: 0, start: null });
  expect(period?.to).toBeLessThan(timelineOf({ ...medium, end: '2026-03-01T00:00:00Z' }, NOW)?.today ?? 0);
});
