import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attempt, Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { SubscriptionSecretsService } from '../../src/modules/subscriptions/instructions/subscription-secrets.service.js';
import { messageIdOf } from '../../src/modules/subscriptions/runs/instruction-attempts.service.js';
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

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
/** How the tries end, one after the other; then all succeed. */
let outcomes: Outcome[];
const answer = async (_attempt: Attempt): Promise<Outcome> => outcomes.shift() ?? DONE;

beforeEach(async () => {
  outcomes = [];
  database = await createTestDatabase();
  stage = await startStage({ database, answer, retryScheduleSeconds: [10, 100] });
  ada = await aSubscriber(stage);
});
afterEach(async () => {
  await stage.close();
  await database.drop();
});

const ended = async () => await eventually(async () => (await runsOf(stage)).every(({ finishedAt }) => finishedAt !== null));
const waits = async () => await eventually(async () => (await runsOf(stage))[0]?.state === 'waiting');
const hosts = () => stage.tries.map(({ instruction }) => new URL((instruction as { url: string }).url).host);
const lastStatus = async (id: number) =>
  (await stage.db.queryOne<{ status: number | null }>('SELECT last_executed_status AS status FROM subscriptions WHERE id = $1', [id]))
    ?.status;

describe('the run of a subscription', () => {
  it('carries out its instructions one after the other, and logs each', async () => {
    const subscription = await aSubscription(stage, { by: ada, instructions: [to('a.example'), to('b.example'), to('c.example')] });
    const event = await happen(stage, ada);
    await ended();
    const [run] = await runsOf(stage);
    if (!run) throw new Error('There is no run.');
    expect(run).toMatchObject({ state: 'succeeded', instruction: 2, eventId: event.id, subscriptionId: subscription, lockedBy: null });
    expect(hosts()).toEqual(['a.example', 'b.example', 'c.example']);
    const log = { subscriptionId: subscription, runId: run.id, attempt: 1, type: 'https', statusCode: 200, reason: null, payload: null };
    expect(await logsOf(stage)).toEqual(
      [0, 1, 2].map((instruction) => expect.objectContaining({ ...log, instruction, messageId: messageIdOf(run.messageId, instruction) })),
    );
    expect(await lastStatus(subscription)).toBe(200);
  });

  it('passes the event, the subscription and its secret to the runner of the instruction', async () => {
    const subscription = await aSubscription(stage, { by: ada });
    const event = await happen(stage, ada, 3);
    await ended();
    const [run] = await runsOf(stage);
    expect(stage.tries).toEqual([
      {
        instruction: to('hooks.example'),
        messageId: messageIdOf(run?.messageId ?? '', 0),
        attempt: 1,
        event: {
          id: Number(event.id),
          name: 'event:releaseRequest',
          customerId: ada.customerId,
          method: 'create',
          payload: event.payload,
          createdAt: event.createdAt.toISOString(),
          depth: 3,
          rootEventId: expect.any(String),
        },
        subscription: { id: subscription, customerId: ada.customerId, lastEditorId: ada.id, signingSecret: 'whsec_c2VjcmV0' },
        values: event.payload,
      },
    ]);
  });

  it('fills placeholders with the user who last edited it', async () => {
    await aSubscription(stage, { by: ada, instructions: [{ type: 'email', subject: 's', text: 'for :user.email', to: [] }] });
    await happen(stage, ada);
    await ended();
    expect(stage.tries[0]?.values).toMatchObject({
      user: { id: ada.id, email: 'acme@example.org', firstname: 'Ada', lastname: 'Lovelace' },
    });
  });

  it('keeps the response of an instruction for later ones, encrypted', async () => {
    outcomes = [
      { ...DONE, result: { name: 'one', value: { token: 'a secret answer' } } },
      failed(500),
      { ...DONE, result: { name: 'two', value: 2 } },
    ];
    await aSubscription(stage, { by: ada, instructions: [to('a.example'), to('b.example'), to('c.example')] });
    await happen(stage, ada);
    await waits();
    stage.pass(20);
    await ended();
    expect(stage.tries.map(({ values }) => [values.one, values.two])).toEqual([
      [undefined, undefined],
      [{ token: 'a secret answer' }, undefined],
      [{ token: 'a secret answer' }, undefined],
      [{ token: 'a secret answer' }, 2],
    ]);
    const row = await stage.db.queryOne<{ text: string }>(`SELECT r::text AS text FROM subscription_runs r WHERE results IS NOT NULL`);
    expect(row?.text).not.toMatch(/token|secret answer/);
  });

  it('logs the sent payload, encrypted', async () => {
    outcomes = [{ ...DONE, payload: { hello: 'world' } }];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await ended();
    const [log] = await logsOf(stage);
    expect(log?.payload).not.toMatch(/hello|world/);
    expect(stage.process.get(SubscriptionSecretsService).openPayload(log?.payload ?? '')).toEqual({ hello: 'world' });
  });

  it('continues at the failed instruction, after growing delays', async () => {
    outcomes = [DONE, failed(500), failed(0)];
    const subscription = await aSubscription(stage, { by: ada, instructions: [to('a.example'), to('b.example')] });
    await happen(stage, ada);
    await waits();
    expect(await lastStatus(subscription)).toBe(500);
    const soon = (await runsOf(stage))[0]?.nextAttemptAt?.getTime() ?? 0;
    expect(soon - stage.clock.now().getTime()).toBeGreaterThanOrEqual(8_000);
    expect(soon - stage.clock.now().getTime()).toBeLessThanOrEqual(12_000);
    stage.pass(7);
    stage.pass(6);
    await eventually(() => stage.tries.length === 3);
    await waits();
    const later = (await runsOf(stage))[0]?.nextAttemptAt?.getTime() ?? 0;
    expect(later - stage.clock.now().getTime()).toBeGreaterThanOrEqual(80_000);
    expect(later - stage.clock.now().getTime()).toBeLessThanOrEqual(120_000);
    stage.pass(121);
    await ended();
    expect(hosts()).toEqual(['a.example', 'b.example', 'b.example', 'b.example']);
    expect((await logsOf(stage)).map(({ instruction, attempt, statusCode, reason }) => [instruction, attempt, statusCode, reason])).toEqual(
      [
        [0, 1, 200, null],
        [1, 1, 500, 'status: it answered 500'],
        [1, 2, 0, 'status: it answered 0'],
        [1, 3, 200, null],
      ],
    );
    expect(new Set(stage.tries.slice(1).map(({ messageId }) => messageId)).size).toBe(1);
    expect(await lastStatus(subscription)).toBe(200);
  });

  it('fails after all attempts of the schedule', async () => {
    outcomes = [failed(500), failed(500), failed(500)];
    await aSubscription(stage, { by: ada, instructions: [to('a.example'), to('never.example')] });
    await happen(stage, ada);
    for (const tries of [1, 2]) {
      await eventually(async () => stage.tries.length === tries && (await runsOf(stage))[0]?.state === 'waiting');
      stage.pass(200);
    }
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ state: 'failed', attempts: 3, instruction: 0, nextAttemptAt: null }]);
    stage.pass(100_000);
    expect(hosts()).toEqual(['a.example', 'a.example', 'a.example']);
  });

  it('waits as long as the receiver asks for', async () => {
    outcomes = [failed(503, { retryAfterSeconds: 3_600 })];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await waits();
    const [run] = await runsOf(stage);
    expect(run?.nextAttemptAt).toEqual(new Date(stage.clock.now().getTime() + 3_600_000));
  });

  it('ends immediately after a final failure', async () => {
    outcomes = [failed(410, { final: true })];
    const subscription = await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ state: 'failed', attempts: 1 }]);
    expect(await lastStatus(subscription)).toBe(410);
  });

  it('is repeated immediately if the schedule has 0', async () => {
    await stage.close();
    outcomes = [failed(500), failed(500)];
    stage = await startStage({ database, answer, retryScheduleSeconds: [0, 0] });
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ state: 'succeeded', attempts: 3 }]);
  });

  it('does not start at depth five, and logs the reason', async () => {
    const subscription = await aSubscription(stage, { by: ada });
    await happen(stage, ada, 5);
    await ended();
    expect(stage.tries).toEqual([]);
    expect(await runsOf(stage)).toMatchObject([{ state: 'failed' }]);
    expect(await logsOf(stage)).toMatchObject([{ statusCode: 508, reason: expect.stringMatching(/^loop: /), attempt: 1, payload: null }]);
    expect(await lastStatus(subscription)).toBe(508);
    await happen(stage, ada, 4);
    await eventually(() => stage.tries.length === 1);
  });

  it('that cannot be carried out through a fault of ours is logged without its words, and tried again', async () => {
    outcomes = [Promise.reject(new Error('the password is 1234')) as unknown as Outcome];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await waits();
    expect(await logsOf(stage)).toMatchObject([{ statusCode: 0, reason: expect.stringMatching(/^internal: /), attempt: 1 }]);
    expect(JSON.stringify(await logsOf(stage))).not.toContain('1234');
    stage.pass(20);
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
  });

  it('takes reasons of any letters and any length', async () => {
    outcomes = [failed(500, { reason: `status: \0 \ud800 ${'x'.repeat(100_000)}`, final: true })];
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await ended();
    expect((await logsOf(stage))[0]?.reason).toMatch(/^status: {2}\ufffd x{1,2000}$/);
  });

  it('succeeds if its remaining instructions were removed', async () => {
    outcomes = [failed(500)];
    const subscription = await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await waits();
    const none = stage.process.get(SubscriptionSecretsService).sealInstructions([]);
    await stage.db.query(`UPDATE subscriptions SET instructions = $2, lanes = '{}' WHERE id = $1`, [subscription, none]);
    stage.pass(20);
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ state: 'succeeded' }]);
    expect(await logsOf(stage)).toHaveLength(1);
    expect(await lastStatus(subscription)).toBe(500);
  });

  it('goes with its subscription, in the middle of a try too', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    outcomes = [opened.then(() => DONE) as unknown as Outcome];
    const [going, staying] = [
      await aSubscription(stage, { by: ada }),
      await aSubscription(stage, { by: ada, payload: { message: 'stay' } }),
    ];
    await happen(stage, ada);
    await eventually(() => stage.tries.length === 1);
    await stage.db.query('DELETE FROM subscriptions WHERE id = $1', [going]);
    open();
    await stage.db.query(`UPDATE subscriptions SET payload = NULL WHERE id = $1`, [staying]);
    await happen(stage, ada);
    await ended();
    expect(await runsOf(stage)).toMatchObject([{ subscriptionId: staying, state: 'succeeded' }]);
    expect(await logsOf(stage)).toMatchObject([{ subscriptionId: staying }]);
  });
});
