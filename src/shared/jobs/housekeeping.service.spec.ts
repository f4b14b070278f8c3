import { describe, expect, it } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { FakeClock } from '../clock.js';
import { HousekeepingService } from './housekeeping.service.js';
import type { JobsRepository } from './jobs.repository.js';

const now = new Date('2026-01-01T00:00:00Z');
const noRepository = undefined as unknown as JobsRepository; // these chores need none

function housekeeping() {
  const { log, lines } = capturedLog();
  return { housekeeping: new HousekeepingService(noRepository, new FakeClock(now), log), lines };
}

/** A chore with so many rows to delete, and what it was asked. */
function choreWith(rows: number) {
  const asked: { now: Date; limit: number }[] = [];
  let left = rows;
  const chore = async (at: Date, limit: number) => {
    asked.push({ now: at, limit });
    const done = Math.min(left, limit);
    left -= done;
    return done;
  };
  return { chore, asked };
}

describe('the housekeeping', () => {
  it.each([
    [0, 1],
    [999, 1],
    [1_000, 2],
    [2_500, 3],
  ])('deletes %i rows in %i batches of a thousand', async (rows, batches) => {
    const { housekeeping: keeper } = housekeeping();
    const { chore, asked } = choreWith(rows);
    keeper.register('rows', chore);
    await keeper.run();
    expect(asked).toEqual(Array.from({ length: batches }, () => ({ now, limit: 1_000 })));
  });

  it('does every chore, even if one fails, and reports the failure', async () => {
    const { housekeeping: keeper, lines } = housekeeping();
    const failing = async () => {
      throw new Error('no such table');
    };
    const [first, last] = [choreWith(1), choreWith(1)];
    keeper.register('first', first.chore);
    keeper.register('broken', failing);
    keeper.register('last', last.chore);
    await expect(keeper.run()).rejects.toMatchObject({ errors: [{ message: 'no such table' }] });
    expect([first.asked.length, last.asked.length]).toEqual([1, 1]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, chore: 'broken' }));
  });

  it('refuses two chores of one name, of which one would be forgotten', () => {
    const { housekeeping: keeper } = housekeeping();
    keeper.register('rows', choreWith(0).chore);
    expect(() => keeper.register('rows', choreWith(0).chore)).toThrow(/twice/);
    expect(keeper.names).toEqual(['rows']);
  });
});
