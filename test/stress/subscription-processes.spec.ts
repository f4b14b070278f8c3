import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Attempt, Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { WorkerPresenceService } from '../../src/shared/jobs/index.js';
import { capturedLog } from '../support/captured-log.js';
import { startDatabaseProxy } from '../support/database/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import {
  aSubscriber,
  aSubscription,
  DONE,
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
/** Tries at never.example do not end before it is called. */
let open: () => void;
let opened: Promise<Outcome>;
beforeEach(async () => {
  opened = new Promise((resolve) => {
    open = () => resolve(DONE);
  });
  database = await createTestDatabase();
  stages = [];
});
afterEach(async () => {
  open();
  await Promise.all(stages.map(async (stage) => await stage.close()));
  await database.drop();
});

type Options = Partial<Parameters<typeof startStage>[0]>;

async function start(options: Options = {}): Promise<RunStage> {
  const stage = await startStage({ database, answer: atHost, ...options });
  stages.push(stage);
  return stage;
}

const hostOf = ({ instruction }: Attempt) => new URL((instruction as { url: string }).url).host;
const atHost = async (attempt: Attempt) => (hostOf(attempt) === 'never.example' ? await opened : DONE);
const allSucceeded = async (stage: RunStage) =>
  await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'succeeded'));

describe('two processes', () => {
  it('carry out each run once, and share the work', async () => {
    const [one, two] = [await start(), await start()];
    const ada = await aSubscriber(one);
    const id = await aSubscription(one, { by: ada, instructions: [to('a.example'), to('b.example')] });
    await storm(one, ada, id, 1_000);
    for (const stage of [one, two]) stage.dispatcher.wake();
    await allSucceeded(one);
    expect(one.tries.length + two.tries.length).toBe(2_000);
    expect(one.tries.length).toBeGreaterThan(0);
    expect(two.tries.length).toBeGreaterThan(0);
    const logs = await logsOf(one);
    expect(logs).toHaveLength(2_000);
    expect(new Set(logs.map(({ messageId }) => messageId)).size).toBe(2_000);
    expect(logs.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it('do not take a run from one that lives, however long it takes', async () => {
    const [busy, other] = [await start(), await start()];
    const ada = await aSubscriber(busy);
    await aSubscription(busy, { by: ada, instructions: [to('never.example')] });
    await happen(busy, ada);
    await eventually(() => busy.tries.length + other.tries.length === 1);
    for (let look = 0; look < 5; look += 1) {
      for (const stage of [busy, other]) expect(await stage.process.get(WorkerPresenceService).releaseDead()).toEqual([]);
    }
    open();
    await allSucceeded(other);
    expect(await runsOf(other)).toMatchObject([{ attempts: 1 }]);
  });

  it('take over the runs of a dead process within 10 seconds, which then changes nothing', async () => {
    const dying = await start();
    const ada = await aSubscriber(dying);
    await aSubscription(dying, { by: ada, instructions: [to('never.example'), to('b.example')] });
    await happen(dying, ada);
    await eventually(() => dying.tries.length === 1);
    await dying.process.get(WorkerPresenceService).stop(); // what the others see of a process that died: its lock is gone
    const heir = await start({ answer: () => DONE });
    await eventually(async () => (await runsOf(heir))[0]?.state === 'succeeded', 10_000);
    expect(heir.tries.map(({ attempt }) => attempt)).toEqual([2, 1]);
    expect(heir.tries[0]?.messageId).toBe(dying.tries[0]?.messageId);
    const [run] = await runsOf(heir);
    open();
    await eventually(async () => (await logsOf(heir)).length === 3);
    expect(await runsOf(heir)).toEqual([run]);
    expect((await logsOf(heir)).map(({ instruction, attempt }) => [instruction, attempt])).toEqual([
      [0, 2],
      [1, 1],
      [0, 1],
    ]);
  });

  it('notify each other of released runs of a dead process', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    await storm(stage, ada, await aSubscription(stage, { by: ada }), 3);
    await stage.db.query(`UPDATE subscription_runs SET state = 'running', locked_by = 'dispatcher-of-a-killed-process', attempts = 1`);
    await eventually(() => stage.tries.length === 3);
    expect(stage.tries.map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  });
});

describe('a process', () => {
  it('that stops waits for the tries under way and records them', async () => {
    const stopping = await start();
    const ada = await aSubscriber(stopping);
    await aSubscription(stopping, { by: ada, instructions: [to('never.example')] });
    await happen(stopping, ada);
    await eventually(() => stopping.tries.length === 1);
    const stopped = stopping.close();
    stages.pop();
    open();
    await stopped;
    const later = await start({ worker: 'off' });
    expect(await runsOf(later)).toMatchObject([{ state: 'succeeded', attempts: 1, lockedBy: null }]);
    expect(await logsOf(later)).toHaveLength(1);
  });

  it('that does no jobs leaves runs to others', async () => {
    const web = await start({ worker: 'off' });
    const ada = await aSubscriber(web);
    await aSubscription(web, { by: ada });
    await happen(web, ada);
    web.dispatcher.wake('due', 'held');
    const worker = await start();
    await allSucceeded(worker);
    expect([web.tries.length, worker.tries.length]).toEqual([0, 1]);
    await happen(web, ada);
    await eventually(() => worker.tries.length === 2);
  });

  it('releases the runs of a claim whose response was lost', async () => {
    const stage = await start();
    const ada = await aSubscriber(stage);
    const id = await aSubscription(stage, { by: ada });
    const proxy = await startDatabaseProxy(database);
    const cut = await start({ databaseUrl: proxy.url });
    const connected = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'worker presence'`;
    await eventually(async () => (await stage.db.query(connected)).rowCount === 2);
    proxy.cutOff(true);
    cut.dispatcher.wake(); // fails
    await storm(stage, ada, id, 3);
    await stage.db.query(`UPDATE subscription_runs SET state = 'running', locked_by = $1, attempts = 1`, [cut.dispatcher.name]);
    proxy.cutOff(false);
    await allSucceeded(stage);
    expect([...stage.tries, ...cut.tries].map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    await cut.close();
    stages.pop();
    await proxy.close();
  });

  it('records how a try ended as soon as the database is back, and does not repeat it', async () => {
    const admin = async (sql: string) => {
      const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
      await client.connect();
      await client.query(sql).finally(async () => await client.end());
    };
    const name = new URL(database.url).pathname.slice(1);
    const { log, lines } = capturedLog('warn');
    const stage = await start({ log });
    const ada = await aSubscriber(stage);
    await aSubscription(stage, { by: ada, instructions: [to('never.example')] });
    await happen(stage, ada);
    await eventually(() => stage.tries.length === 1);
    await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    open();
    await eventually(() => lines.some(({ msg }) => msg === 'cannot record an attempt, trying again'));
    await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await eventually(async () => (await runsOf(stage).catch(() => []))[0]?.state === 'succeeded');
    expect(stage.tries).toHaveLength(1);
    expect(await logsOf(stage)).toHaveLength(1);
  });
});
