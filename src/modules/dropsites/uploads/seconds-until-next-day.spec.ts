import { describe, expect, it } from '@jest/globals';
import { secondsUntilNextDay } from './seconds-until-next-day.js';

describe('the seconds until the next day in UTC', () => {
  it.each([
    ['2026-01-01T00:00:00.000Z', 86_400],
    ['2026-01-01T00:00:00.001Z', 86_400],
    ['2026-01-01T12:00:00.000Z', 43_200],
    ['2026-12-31T23:59:58.001Z', 2],
    ['2026-12-31T23:59:59.999Z', 1],
  ])('are, at %s, %d', (now, seconds) => {
    expect(secondsUntilNextDay(new Date(now))).toBe(seconds);
  });
});
