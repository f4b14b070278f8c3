import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { ReplaysService } from '../../src/modules/subscriptions/runs/replays.service.js';
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
  type Subscriber,
  startStage,
  to,
} from '../support/subscriptions/run-stage.js';

const GIVEN_UP = failed(410, { final: true });
const THREE = ['a.example', 'b.example', 'c.example'].map(to);

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
let outcomes: (Outcome | Promise<Outcome>)[];
beforeEach(async () => {
  outcomes = [];
  database = await createTestDatabase();
  stage = await startStage({ database, retryScheduleSeconds: [10, 100], answer: async () => await (outcomes.shift() ?? DONE) });
  ada = await aSubscriber(stage);
});
afterEach(async () => {
  await stage.close();
  await database.drop();
});

const ended = async () => await eventually(async () => (await runsOf(stage)).every(({ finishedAt }) => finishedAt !== null));
const hosts = () => stage.tries.map(({ instruction }) => new URL((instruction as { url: string }).url).host);
/** What the log says: instruction, number of the try, status. */
const logged = async () => (await logsOf(stage)).map(({ instruction, attempt, statusCode }) => [instruction, attempt, statusCode]);

/** Replays the try that is this one in the log. */
async function replay(index: number) {
  const log = (await logsOf(stage))[index];
  if (!log) throw new Error('There is no such entry in the log.');
  return await stage.process.get(ReplaysService).start(log);
}

describe('a replay', () => {
  it('of the failed instruction continues to the end, with the same message ids', async () => {
    outcomes = [DONE, GIVEN_UP];
    await aSubscription(stage, { by: ada, instructions: THREE });
    await happen(stage, ada);
    await ended();
    expect(await replay(1)).toBe('started');
    await ended();
    expect(hosts()).toEqual(['a.example', 'b.example', 'b.example', 'c.example']);
    expect(await logged()).toEqual([
      [0, 1, 200],
      [1, 1, 410],
      [1, 2, 200],
      [2, 1, 200],
    ]);
    expect(stage.tries[2]?.messageId).toBe(stage.tries[1]?.messageId);
    expect(await runsOf(stage)).toMatchObject([{ state: 'succeeded' }]);
  });

  it('of a successful instruction repeats only it, and continues its attempt numbers', async () => {
    outcomes = [failed(500)];
    await aSubscription(stage, { by: ada, instructions: THREE });
    await happen(stage, ada);
    await eventually(async () => (await runsOf(stage))[0]?.state === 'waiting');
    stage.pass(20);
    await ended();
    expect(await replay(0)).toBe('started');
    await ended();
    expect(hosts().slice(4)).toEqual(['a.example']);
    expect((await logged()).at(-1)).toEqual([0, 3, 200]);
    expect(await replay(3)).toBe('started');
    await ended();
    expect((await logged()).at(-1)).toEqual([2, 2, 200]);
  });

  it('has the whole schedule before it', async () => {
    outcomes = [failed(500), failed(500), failed(500), failed(500), failed(500), failed(500)];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    for (const tries of [1, 2]) {
      await eventually(async () => (await logsOf(stage)).length === tries && (await runsOf(stage))[0]?.state === 'waiting');
      stage.pass(200);
    }
    await ended();
    expect(await replay(2)).toBe('started');
    for (const tries of [4, 5]) {
      await eventually(async () => (await logsOf(stage)).length === tries && (await runsOf(stage))[0]?.state === 'waiting');
      stage.pass(200);
    }
    await ended();
    expect((await logged()).map(([, attempt]) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await runsOf(stage)).toMatchObject([{ state: 'failed' }]);
  });

  it('of one that waits for its next try makes it now', async () => {
    outcomes = [failed(500)];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await eventually(async () => (await runsOf(stage))[0]?.state === 'waiting');
    expect(await replay(0)).toBe('started');
    await ended();
    expect(await logged()).toEqual([
      [0, 1, 500],
      [0, 2, 200],
    ]);
  });

  it('that is repeated while it fails does not go further than the first', async () => {
    await aSubscription(stage, { by: ada, instructions: THREE });
    await happen(stage, ada);
    await ended();
    outcomes = [GIVEN_UP];
    expect(await replay(0)).toBe('started');
    await ended();
    expect(await replay(0)).toBe('started');
    await ended();
    expect(hosts().slice(3)).toEqual(['a.example', 'a.example']);
  });

  it('does not begin beside the try that is under way, nor before a later instruction has its turn', async () => {
    let open = () => {};
    const opened = new Promise<Outcome>((resolve) => {
      open = () => resolve(failed(500));
    });
    outcomes = [DONE, opened];
    await aSubscription(stage, { by: ada, instructions: THREE });
    await happen(stage, ada);
    await eventually(() => stage.tries.length === 2);
    expect(await replay(0)).toBe('under_way');
    open();
    await eventually(async () => (await runsOf(stage))[0]?.state === 'waiting');
    expect(await replay(0)).toBe('under_way');
    expect(await replay(1)).toBe('started');
    await ended();
  });

  it('of a subscription that acts once waits for another event of it', async () => {
    outcomes = [GIVEN_UP, failed(500)];
    await aSubscription(stage, { by: ada, flag: 2 });
    await happen(stage, ada);
    await ended();
    await happen(stage, ada);
    await eventually(async () => (await runsOf(stage))[1]?.state === 'waiting');
    expect(await replay(0)).toBe('under_way');
    stage.pass(20);
    await ended();
    expect(await replay(0)).toBe('started');
    await ended();
    expect((await runsOf(stage)).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  });

  it('is refused if the run, its instruction or the subscription was deleted', async () => {
    const id = await aSubscription(stage, { by: ada, instructions: THREE });
    await happen(stage, ada);
    await ended();
    const logs = await logsOf(stage);
    const [first, , last] = logs;
    if (!first || !last) throw new Error('The log is short.');
    await stage.db.query('UPDATE subscriptions SET lanes = lanes[1:2] WHERE id = $1', [id]);
    expect(await stage.process.get(ReplaysService).start(last)).toBe('gone');
    await stage.db.query('DELETE FROM subscription_runs');
    expect(await stage.process.get(ReplaysService).start(first)).toBe('gone');
    await stage.db.query('DELETE FROM subscriptions');
    expect(await stage.process.get(ReplaysService).start(first)).toBe('gone');
  });
});
