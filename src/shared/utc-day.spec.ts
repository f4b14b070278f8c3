import { expect, it } from '@jest/globals';
import { secondsUntilNextUtcDay, utcDayOf } from './utc-day.js';

it.each([
  ['2026-01-01T00:00:00.000Z', '2026-01-01', 86_400],
  ['2026-01-01T00:00:00.001Z', '2026-01-01', 86_400],
  ['2026-01-01T12:00:00.000Z', '2026-01-01', 43_200],
  ['2026-01-01T23:00:00.000-02:00', '2026-01-02', 82_800],
  ['2026-12-31T23:59:58.001Z', '2026-12-31', 2],
  ['2026-12-31T23:59:59.999Z', '2026-12-31', 1],
])('%s is on %s in UTC, and the next day starts after %d seconds', (moment, day, seconds) => {
  expect([utcDayOf(new Date(moment)), secondsUntilNextUtcDay(new Date(moment))]).toEqual([day, seconds]);
});
