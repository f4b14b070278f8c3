import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attempt } from '../../src/modules/subscriptions/instructions/instruction.js';
import { RUNS_CHANNEL } from '../../src/modules/subscriptions/runs/runs-channel.js';
import { SubscriptionsService } from '../../src/modules/subscriptions/subscriptions.service.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import {
  aSubscriber,
  aSubscription,
  DONE,
  type RunStage,
  runsOf,
  type Subscriber,
  startStage,
  storm,
  to,
} from '../support/subscriptions/run-stage.js';

/** Statements of this database that wait for a lock. */
const LOCK_WAITS = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
let service: SubscriptionsService;
/** Once they are held, tries do not end before `open()`. */
let held: Promise<void> | null;
let open: () => void;

beforeEach(async () => {
  held = null;
  open = () => {};
  database = await createTestDatabase();
  const answer = async () => {
    await held;
    return DONE;
  };
  stage = await startStage({ database, answer });
  ada = await aSubscriber(stage);
  service = stage.process.get(SubscriptionsService);
});
afterEach(async () => {
  open();
  await stage.close();
  await database.drop();
});

const caller = () => ({ customerId: ada.customerId, userId: ada.id, supportUserId: null }) as Caller;
const hostOf = ({ instruction }: Attempt) => new URL((instruction as { url: string }).url).host;

/** A subscription that went well so far, and with whose runs the process has its hands full. */
async function aBusyOne(): Promise<{ id: number; tries: number }> {
  const id = await aSubscription(stage, { by: ada, instructions: [to('old.example')] });
  await storm(stage, ada, id, 1_000);
  stage.dispatcher.wake();
  await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'succeeded'));
  held = new Promise((resolve) => {
    open = resolve;
  });
  await storm(stage, ada, id, 200);
  stage.dispatcher.wake();
  await eventually(() => stage.tries.length === 1_008);
  return { id, tries: stage.tries.length };
}

/** Another subscription has something to do, of which the process hears after the change. */
async function tellOfTheNext(): Promise<void> {
  await storm(stage, ada, await aSubscription(stage, { by: ada, instructions: [to('next.example')] }), 1);
  await stage.db.query(`SELECT pg_notify('${RUNS_CHANNEL}', 'ready')`);
  await eventually(() => stage.tries.some((attempt) => hostOf(attempt) === 'next.example'));
}

describe('a subscription that is changed while runs wait', () => {
  it('does not carry them out after its deletion', async () => {
    const { id, tries } = await aBusyOne();
    await service.delete(caller(), { id });
    await tellOfTheNext();
    open();
    await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'succeeded'));
    expect(stage.tries).toHaveLength(tries + 1);
  });

  it('carries out the rest with its new instructions', async () => {
    const { id, tries } = await aBusyOne();
    const wanted = { name: 'event:releaseRequest', flag: 0, instructions: [{ type: 'https', url: 'https://old.example/new' }] };
    await service.replace(caller(), { id, ...wanted });
    await tellOfTheNext();
    open();
    await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'succeeded'));
    const urls = stage.tries.slice(tries + 1).map(({ instruction }) => (instruction as { url: string }).url);
    expect(urls).toEqual(Array.from({ length: 192 }, () => 'https://old.example/new'));
  });

  it('gets no run of an event that is published while it is deleted, and the event is kept', async () => {
    const id = await aSubscription(stage, { by: ada, instructions: [to('old.example')] });
    const { db } = stage;
    const event = {
      name: 'event:releaseRequest',
      customerId: ada.customerId,
      method: 'create',
      payload: { mediaContainerId: 1, requesterId: 1, message: '' },
    } as const;
    let published: Promise<unknown> = Promise.resolve();
    await db.transaction(async () => {
      await service.delete(caller(), { id });
      published = db.outsideTransaction(
        async () => await db.transaction(async () => await stage.process.get(EventOutboxService).publish(event)),
      );
      await eventually(async () => (await db.outsideTransaction(async () => await db.query(LOCK_WAITS))).rowCount === 1);
    });
    await published;
    expect(await runsOf(stage)).toEqual([]);
    expect((await db.query('SELECT FROM events')).rowCount).toBe(1);
  });
});
