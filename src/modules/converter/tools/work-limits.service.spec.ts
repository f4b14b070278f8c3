import { describe, expect, it } from '@jest/globals';
import { WorkBudget, WorkLimitsService } from './work-limits.service.js';

const limits = new WorkLimitsService();
const UNKNOWN = Number.POSITIVE_INFINITY;

describe('the limits of work', () => {
  it('are two minutes of processor time for short work, whatever the file is', () => {
    expect(limits.forShortWork()).toEqual({ cpuSeconds: 120, seconds: 600, niceness: 10 });
  });

  it.each([
    [0, 600],
    [0.01, 601],
    [90, 2_400],
    [7_200, 144_600],
    [null, 86_400],
  ])('are ten minutes and twenty times the length for long work: %s s', (length, cpuSeconds) => {
    expect(limits.forLongWork(length)).toMatchObject({ cpuSeconds, seconds: 5 * cpuSeconds });
  });

  it('leave long work less of a busy processor than short work', () => {
    expect(limits.forLongWork(1).niceness).toBeGreaterThan(limits.forShortWork().niceness);
  });
});

describe('the expected time of work', () => {
  const film = { isLong: true, fileSize: 0, seconds: 600, pixels: 1920 * 1080 };

  it.each([
    ['a film in Full HD, as long as it plays', film, 600],
    ['a film in 4K, four times as long', { ...film, pixels: 3840 * 2160 }, 2_400],
    ['a film of unknown size, as in Full HD', { ...film, pixels: null }, 600],
    ['eleven hours of tiny pictures', { ...film, seconds: 39_600, pixels: 64 * 64 }, 3_960],
    ['a film of unknown length', { ...film, seconds: UNKNOWN }, UNKNOWN],
    ['a picture', { ...film, isLong: false, seconds: UNKNOWN }, 120],
    ['a picture of a film of 20 GB, which has to be fetched', { ...film, isLong: false, fileSize: 2e10 }, 1_120],
  ])('is that of %s', (_, work, seconds) => {
    expect(limits.expectedSeconds(work)).toBeCloseTo(seconds);
  });
});

describe('the budget of a transcoding', () => {
  it('is shared by its programs, and does not become negative', () => {
    const budget = new WorkBudget(limits.forShortWork());
    budget.spend(70);
    expect([budget.cpuSeconds, budget.isSpent]).toEqual([50, false]);
    budget.spend(70);
    expect([budget.cpuSeconds, budget.isSpent]).toEqual([0, true]);
  });

  it('ends with its time, even if nothing is computed', () => {
    expect(new WorkBudget({ cpuSeconds: 1, seconds: 0, niceness: 0 }).isSpent).toBe(true);
  });
});
