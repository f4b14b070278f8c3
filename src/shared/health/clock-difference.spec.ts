import { describe, expect, it } from '@jest/globals';
import { clockDifference, explainClock, isAboutClock } from './clock-difference.js';

const NOON = new Date('2026-01-31T12:00:00Z');
const at = (seconds: number) => NOON.getTime() + seconds * 1_000;

describe('the difference to the clock of PostgreSQL', () => {
  it.each([
    ['is zero for a time between question and answer', -1, 1, 0],
    ['is positive if this machine is ahead', 61, 62, 61],
    ['is negative if this machine is behind', -62, -61, -61],
  ])('%s', (_, askedAt, answeredAt, expected) => {
    expect(clockDifference(NOON, { askedAt: at(askedAt), answeredAt: at(answeredAt) })).toBe(expected);
  });

  it('is zero if PostgreSQL did not tell its time', () => {
    expect(clockDifference(null, { askedAt: 0, answeredAt: 0 })).toBe(0);
  });

  it('is a sentence for the operator', () => {
    expect(explainClock(-61.2)).toBe('The clock of this machine is 61 seconds behind that of PostgreSQL: synchronize both (NTP).');
    expect(isAboutClock(explainClock(61))).toBe(true);
  });
});
