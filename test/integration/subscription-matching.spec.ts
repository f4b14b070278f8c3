import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RunPlannerListener } from '../../src/modules/subscriptions/runs/run-planner.listener.js';
import { type EventMethod, EventOutboxService, type NewEvent } from '../../src/shared/events/index.js';
import { type Plan, readWhole } from '../support/database/query-plans.js';
import { type RecordedStatement, recordStatements } from '../support/database/recorded-statements.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import {
  aSubscriber,
  aSubscription,
  happen,
  type RunStage,
  runsOf,
  type Subscriber,
  startStage,
  to,
} from '../support/subscriptions/run-stage.js';

/** A node of what EXPLAIN (ANALYZE, FORMAT JSON) answers. */
interface Analysed extends Plan {
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Analysed[];
}

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
beforeAll(async () => {
  database = await createTestDatabase();
  stage = await startStage({ database, worker: 'off' });
  ada = await aSubscriber(stage);
});
afterEach(async () => void (await stage.db.query('TRUNCATE events, subscriptions CASCADE')));
afterAll(async () => {
  await stage.close();
  await database.drop();
});

const matched = async () => (await runsOf(stage)).map(({ subscriptionId }) => subscriptionId);
const publish = async (event: NewEvent) => await stage.process.get(EventOutboxService).publish(event);

describe('an event', () => {
  it('leads to a run of each subscription of its name and customer, and of no other', async () => {
    const bob = await aSubscriber(stage, 'Bobs');
    const wanted = [await aSubscription(stage, { by: ada }), await aSubscription(stage, { by: ada })];
    await aSubscription(stage, { by: ada, name: 'event:s3success' });
    await aSubscription(stage, { by: bob });
    await happen(stage, ada);
    expect(await matched()).toEqual(wanted);
  });

  it('leads to runs that are ready, with a message id each, in the lane of the first instruction', async () => {
    for (const host of ['a.example', 'b.example']) await aSubscription(stage, { by: ada, instructions: [to(host), to('later.example')] });
    await happen(stage, ada);
    const { rows } = await stage.db.query(`SELECT state, lane, once, instruction, attempts FROM subscription_runs ORDER BY id`);
    const run = { state: 'ready', once: false, instruction: 0, attempts: 0 };
    expect(rows).toEqual(['a.example', 'b.example'].map((host) => ({ ...run, lane: `${ada.customerId} ${host}` })));
    expect(new Set((await runsOf(stage)).map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('causes held runs of subscriptions that act once, and none after they have acted', async () => {
    const [open, over] = [await aSubscription(stage, { by: ada, flag: 2 }), await aSubscription(stage, { by: ada, flag: 2 })];
    await stage.db.query('UPDATE subscriptions SET processed_at = now() WHERE id = $1', [over]);
    await happen(stage, ada);
    expect(await runsOf(stage)).toMatchObject([{ subscriptionId: open, state: 'held' }]);
  });

  it.each<[EventMethod[] | null, boolean]>([
    [null, true],
    [['create'], true],
    [['update', 'create'], true],
    [['update', 'destroy'], false],
    [[], false],
  ])('of method create matches methods %j: %s', async (methods, matches) => {
    await aSubscription(stage, { by: ada, methods });
    await happen(stage, ada);
    expect(await matched()).toHaveLength(matches ? 1 : 0);
  });

  it.each<[object | null, boolean]>([
    [null, true],
    [{}, true],
    [{ dropsiteId: 3 }, true],
    [{ dropsiteId: '3' }, false],
    [{ dropsiteId: 4 }, false],
    [{ mediaContainerIds: [6] }, true],
    [{ mediaContainerIds: [6, 5] }, true],
    [{ mediaContainerIds: [] }, true],
    [{ mediaContainerIds: [7] }, false],
    [{ mediaContainerIds: 5 }, false],
    [{ dropsiteId: 3, mediaContainerIds: [5] }, true],
    [{ dropsiteId: 4, mediaContainerIds: [5] }, false],
    [{ mediaContainerId: null }, false],
    [{ unknown: 1 }, false],
  ])('that carries more than %j matches it, and otherwise not: %s', async (payload, matches) => {
    await aSubscription(stage, { by: ada, name: 'event:uploadComplete', payload });
    await publish({
      name: 'event:uploadComplete',
      customerId: ada.customerId,
      method: 'update',
      payload: { uploadId: 'u', dropsiteId: 3, mediaContainerIds: [5, 6] },
    });
    expect(await matched()).toHaveLength(matches ? 1 : 0);
  });

  it('that is rolled back causes no runs', async () => {
    await aSubscription(stage, { by: ada });
    const failing = stage.db.transaction(async () => {
      await happen(stage, ada);
      expect(await matched()).toHaveLength(1);
      throw new Error('the cause failed');
    });
    await expect(failing).rejects.toThrow('the cause failed');
    expect(await matched()).toEqual([]);
  });

  it('that is only noted leads to a run of the one subscription that it is for, once', async () => {
    const [wanted] = [await aSubscription(stage, { by: ada, flag: 2 }), await aSubscription(stage, { by: ada, flag: 2 })];
    const planner = stage.process.get(RunPlannerListener);
    const note = async () =>
      await stage.process.get(EventOutboxService).record({
        name: 'event:s3success',
        customerId: ada.customerId,
        method: 'create',
        payload: { mediaContainerId: 1, mediaId: 2, customerId: ada.customerId, role: null, language: null },
      });
    const event = await note();
    expect(await matched()).toEqual([]);
    await planner.planFor(event, wanted);
    await planner.planFor(await note(), wanted);
    expect(await runsOf(stage)).toMatchObject([{ subscriptionId: wanted, eventId: event.id, state: 'held' }]);
  });

  it('that is only noted leads to no run of a subscription that has acted, or of another customer', async () => {
    const bob = await aSubscriber(stage, 'Bobs');
    const [over, foreign] = [await aSubscription(stage, { by: ada }), await aSubscription(stage, { by: bob })];
    await stage.db.query('UPDATE subscriptions SET processed_at = now() WHERE id = $1', [over]);
    const event = await stage.process.get(EventOutboxService).record({
      name: 'event:releaseRequest',
      customerId: ada.customerId,
      method: 'create',
      payload: { mediaContainerId: 1, requesterId: ada.id, message: null },
    });
    for (const id of [over, foreign]) await stage.process.get(RunPlannerListener).planFor(event, id);
    expect(await matched()).toEqual([]);
  });
});

describe('finding the subscriptions of an event', () => {
  /** The plan of the statement that plans, and how many rows each scan of `subscriptions` met. */
  async function planOf(event: () => Promise<unknown>): Promise<{ readWhole: string[]; met: number }> {
    const statements = await recordStatements(event);
    const statement = statements.find(({ text }) => text.includes('INSERT INTO subscription_runs'));
    if (!statement) throw new Error('Nothing was planned.');
    return await stage.db.transaction(async () => {
      const plan = await explain(statement);
      await stage.db.query('DELETE FROM subscription_runs');
      return { readWhole: readWhole(plan), met: rowsMet(plan) };
    });
  }

  async function explain({ text, values }: RecordedStatement): Promise<Analysed> {
    await stage.db.query('DELETE FROM subscription_runs'); // the statement is run again
    const row = await stage.db.queryOne<{ 'QUERY PLAN': { Plan: Analysed }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('There is no plan.');
    return plan;
  }

  const rowsMet = (plan: Analysed): number =>
    (plan['Relation Name'] === 'subscriptions' ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0) +
    (plan.Plans ?? []).reduce((sum, part) => sum + rowsMet(part), 0);

  it('does not read ten thousand of other names and customers', async () => {
    await aSubscription(stage, { by: ada });
    const copy = `INSERT INTO subscriptions (customer_id, creator_id, last_editor_id, name, flag, instructions, lanes, signing_secret)
      SELECT c.id, $1, $1, CASE WHEN c.id = $2 OR n % 2 = 0 THEN 'event:s3success' ELSE 'event:releaseRequest' END, 0, '', '{x}', ''
      FROM customers c, generate_series(1, 100) n`;
    await stage.db.query(`INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, 99) n`);
    await stage.db.query(copy, [ada.id, ada.customerId]);
    await stage.db.query('ANALYZE');
    expect(await planOf(async () => await happen(stage, ada))).toEqual({ readWhole: [], met: 1 });
  });
});
