import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import {
  aSubscriber,
  aSubscription,
  DONE,
  failed,
  happen,
  logsOf,
  type RunStage,
  runsOf,
  startStage,
  storm,
  to,
} from '../support/subscriptions/run-stage.js';

let database: TestDatabase;
let stages: RunStage[];
/** How the tries end, one after the other, in whatever process; then all succeed. */
let outcomes: (Outcome | Promise<Outcome>)[];
/** Tries that go on now in all processes, and the most that were seen. */
let now: number;
let most: number;
beforeEach(async () => {
  database = await createTestDatabase();
  stages = [];
  outcomes = [];
  now = 0;
  most = 0;
});
afterEach(async () => {
  await Promise.all(stages.map(async (stage) => await stage.close()));
  await database.drop();
});

async function start(): Promise<RunStage> {
  const answer = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return outcomes.shift() ?? DONE;
  };
  const stage = await startStage({ database, retryScheduleSeconds: [0, 0, 0], answer });
  stages.push(stage);
  return stage;
}

const states = async (stage: RunStage) => {
  const counts: Record<string, number> = {};
  for (const { state } of await runsOf(stage)) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};
const allEnded = async (stage: RunStage) =>
  await eventually(async () => (await runsOf(stage)).every(({ finishedAt }) => finishedAt !== null));
const processedAt = async ({ db }: RunStage, id: number) =>
  (await db.queryOne<{ at: Date | null }>('SELECT processed_at AS at FROM subscriptions WHERE id = $1', [id]))?.at;

describe('a subscription that acts once', () => {
  it('acts on one of ten events at once, whatever fails before; the others are skipped and never begin', async () => {
    const [one, two] = [await start(), await start()];
    const ada = await aSubscriber(one);
    const subscription = await aSubscription(one, { by: ada, flag: 2 });
    const happening = Promise.all(Array.from({ length: 10 }, async (_, n) => await happen(n % 2 ? one : two, ada)));
    outcomes = [happening.then(() => failed(500)), failed(500)];
    await happening;
    await allEnded(one);
    expect(await states(one)).toEqual({ succeeded: 1, skipped: 9 });
    const logs = await logsOf(one);
    expect(logs.map(({ statusCode }) => statusCode)).toEqual([500, 500, 200]);
    expect(new Set(logs.map(({ messageId }) => messageId)).size).toBe(1);
    expect(most).toBe(1);
    expect(await processedAt(one, subscription)).toBeInstanceOf(Date);
    await happen(two, ada);
    expect(await runsOf(one)).toHaveLength(10);
  });

  it('continues with the next event after a failed run', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    const subscription = await aSubscription(stage, { by: ada, flag: 2 });
    outcomes = [failed(410, { final: true }), failed(410, { final: true })];
    await stage.db.transaction(async () => {
      for (let n = 0; n < 4; n += 1) await happen(stage, ada);
    });
    await allEnded(stage);
    expect((await runsOf(stage)).map(({ state }) => state)).toEqual(['failed', 'failed', 'succeeded', 'skipped']);
    expect(most).toBe(1);
    expect(await processedAt(stage, subscription)).toBeInstanceOf(Date);
  });

  it('has not acted before its last instruction succeeded', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    const subscription = await aSubscription(stage, { by: ada, flag: 2, instructions: [to('a.example'), to('b.example')] });
    outcomes = [DONE, failed(410, { final: true })];
    await happen(stage, ada);
    await allEnded(stage);
    expect(await processedAt(stage, subscription)).toBeNull();
    await happen(stage, ada);
    await allEnded(stage);
    expect(await states(stage)).toEqual({ failed: 1, succeeded: 1 });
    expect(await processedAt(stage, subscription)).toBeInstanceOf(Date);
  });

  it('holds up no other subscription', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    for (const flag of [2, 2, 0, 0] as const) await aSubscription(stage, { by: ada, flag });
    await stage.db.transaction(async () => {
      for (let n = 0; n < 5; n += 1) await happen(stage, ada);
    });
    await allEnded(stage);
    expect(await states(stage)).toEqual({ succeeded: 12, skipped: 8 });
  });

  it('skips thousands that came too late', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    await storm(stage, ada, await aSubscription(stage, { by: ada, flag: 2 }), 2_500);
    stage.dispatcher.wake('held');
    await allEnded(stage);
    expect(await states(stage)).toEqual({ succeeded: 1, skipped: 2_499 });
    expect(stage.tries).toHaveLength(1);
  });
});
