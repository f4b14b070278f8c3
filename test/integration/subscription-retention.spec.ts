import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
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
} from '../support/subscriptions/run-stage.js';

const DAY = 86_400;

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
let fails: boolean;
beforeEach(async () => {
  fails = false;
  database = await createTestDatabase();
  const answer = () => (fails ? failed(500) : DONE);
  stage = await startStage({ database, answer, logRetentionDays: 10, retryScheduleSeconds: [1_000 * DAY] });
  ada = await aSubscriber(stage);
});
afterEach(async () => {
  await stage.close();
  await database.drop();
});

const keep = async () => await stage.process.get(HousekeepingService).run();
const kept = async () => ({
  logs: (await logsOf(stage)).length,
  runs: (await runsOf(stage)).length,
  events: (await stage.db.query('SELECT FROM events')).rowCount,
});

describe('the records of subscriptions', () => {
  it('are kept for LOG_RETENTION_DAYS', async () => {
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await eventually(async () => (await runsOf(stage))[0]?.state === 'succeeded');
    stage.clock.advance(9 * DAY);
    await keep();
    expect(await kept()).toEqual({ logs: 1, runs: 1, events: 1 });
    stage.clock.advance(2 * DAY);
    await keep();
    expect(await kept()).toEqual({ logs: 0, runs: 0, events: 0 });
  });

  it('is kept, except for the log, while a run has not ended', async () => {
    fails = true;
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await eventually(async () => (await runsOf(stage))[0]?.state === 'waiting');
    stage.clock.advance(11 * DAY);
    await keep();
    expect(await kept()).toEqual({ logs: 0, runs: 1, events: 1 });
  });

  it('are deleted for events without subscriptions too', async () => {
    await happen(stage, ada);
    stage.clock.advance(9 * DAY);
    await keep();
    expect(await kept()).toMatchObject({ events: 1 });
    stage.clock.advance(2 * DAY);
    await keep();
    expect(await kept()).toMatchObject({ events: 0 });
  });
});
