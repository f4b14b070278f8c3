import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JobsService } from '../../src/shared/jobs/index.js';
import { startMetrics } from '../../src/shared/metrics.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { rises, valueIn } from '../support/metrics.js';
import {
  aSubscriber,
  aSubscription,
  DONE,
  failed,
  happen,
  type RunStage,
  runsOf,
  type Subscriber,
  startStage,
  to,
} from '../support/subscriptions/run-stage.js';

const TASK = 'work_metrics_task';
const RETRY_AFTER_SECONDS = 10;

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
beforeAll(async () => {
  database = await createTestDatabase();
  stage = await startStage({
    database,
    retryScheduleSeconds: [RETRY_AFTER_SECONDS],
    answer: ({ instruction, attempt }) => {
      const { host } = new URL((instruction as { url: string }).url);
      if (host === 'late.example' && attempt === 1) return failed(0, { reason: 'timeout: late.example did not answer within 15 s' });
      return host === 'gone.example' ? failed(410, { reason: 'ada@example.org is no longer here', final: true }) : DONE;
    },
    prepare: (get) =>
      get(JobsService).handle<{ fails: boolean }>(TASK, async ({ fails }) => {
        if (fails) throw new Error('The job fails.');
      }),
  });
  ada = await aSubscriber(stage);
});
afterAll(async () => {
  await stage.close();
  await database.drop();
});

const scrape = startMetrics();

describe('the metrics of the work in the background', () => {
  it('count attempts and runs of subscriptions by outcome and reason, and measure the delay of first attempts', async () => {
    for (const host of ['quick.example', 'late.example', 'gone.example']) await aSubscription(stage, { by: ada, instructions: [to(host)] });
    const attempt = (outcome: string, reason = '') => `subscription_attempts_total{type="https",outcome="${outcome}",reason="${reason}"}`;
    const run = (outcome: string, reason = '') => `subscription_runs_total{outcome="${outcome}",reason="${reason}"}`;
    const series = [
      ...[attempt('succeeded'), attempt('failed', 'timeout'), attempt('failed', 'other')],
      ...[run('succeeded'), run('failed', 'other'), run('failed', 'timeout')],
      ...['subscription_first_attempt_delay_seconds_count', 'subscription_first_attempt_delay_seconds_bucket{le="15"}'],
      'events_total{event="event:releaseRequest"}',
    ];
    const risen = await rises(scrape, series, async () => {
      await happen(stage, ada);
      await eventually(async () => (await runsOf(stage)).some(({ state }) => state === 'waiting'));
      stage.pass(2 * RETRY_AFTER_SECONDS);
      await eventually(async () => (await runsOf(stage)).every(({ finishedAt }) => finishedAt !== null));
      await eventually(async () => (valueIn(await scrape(), run('succeeded')) ?? 0) >= 2);
    });
    expect(Object.values(risen)).toEqual([2, 1, 1, 2, 1, 0, 3, 3, 1]);
    expect(await scrape()).not.toContain('ada@example.org');
  });

  it('count attempts at jobs by outcome', async () => {
    const counted = (outcome: string) => `jobs_total{task="${TASK}",outcome="${outcome}"}`;
    const jobs = stage.process.get(JobsService);
    const risen = await rises(scrape, ['succeeded', 'failed', 'retried'].map(counted), async () => {
      await jobs.add(TASK, { fails: false });
      await jobs.add(TASK, { fails: true }, { maxAttempts: 1 });
      await jobs.add(TASK, { fails: true });
      await eventually(async () => {
        const text = await scrape();
        return ['succeeded', 'failed', 'retried'].every((outcome) => (valueIn(text, counted(outcome)) ?? 0) > 0);
      });
    });
    const [succeeded, gaveUp, retried] = Object.values(risen);
    expect([succeeded, gaveUp]).toEqual([1, 1]);
    expect(retried).toBeGreaterThan(0); // it is attempted further
  });
});
