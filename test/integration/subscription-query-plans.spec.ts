import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaReaderRepository } from '../../src/modules/media/index.js';
import { SubscriptionLogsRepository } from '../../src/modules/subscriptions/logs/subscription-logs.repository.js';
import { SubscriptionsRepository } from '../../src/modules/subscriptions/subscriptions.repository.js';
import { Database, DatabaseMetricsService } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { QuotasService } from '../../src/shared/quotas/index.js';
import { FilledWorld } from '../support/database/query-plans.js';

const ROWS = 20_000;
const CUSTOMERS = 1_000;

const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO users (customer_id, email) SELECT n, 'user' || n || '@example.org' FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO subscriptions (customer_id, creator_id, last_editor_id, name, flag, payload, instructions, lanes, signing_secret)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'event:s3success', 0, jsonb_build_object('a', n), '', '{a}', ''
    FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO events (name, customer_id, method, payload)
    SELECT 'event:s3success', 1 + n % ${CUSTOMERS}, 'create', '{}' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
    SELECT n, n, gen_random_uuid(), false, 'succeeded', 'a' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, duration_ms)
    SELECT 1 + n % 100, 1 + n % ${ROWS}, 0, 'm', 1, 'https', 200, 1 FROM generate_series(1, ${ROWS * 3}) AS n`,
  `INSERT INTO media_containers (customer_id, creator_id, type, name)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'image', 'Picture' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, bucket, s3_key)
    SELECT n, 1 + n % ${CUSTOMERS}, 'image', 'a', 'jpg', 1, 'b', 'key' || n FROM generate_series(1, ${ROWS}) AS n`,
  'ANALYZE',
];

const LARGE = ['subscriptions', 'subscription_runs', 'subscription_logs', 'events', 'media_items'];

describe('the statements of subscription management', () => {
  let world: FilledWorld;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: LARGE });
  });
  afterAll(async () => await world?.close());

  const subscriptions = () => world.process.get(SubscriptionsRepository);
  const logs = () => world.process.get(SubscriptionLogsRepository);
  const event = { name: 'event:s3success', customerId: 18, method: 'create' } as const;
  const publish = async (chain: object) =>
    await world.process
      .get(EventOutboxService)
      .publish({ ...event, payload: { mediaContainerId: 1, mediaId: 1, customerId: 18, a: 17 } as never, ...chain });
  const all = { after: 0, limit: 10_000 };

  it.each<[string, () => Promise<unknown>]>([
    ['all of a customer', async () => await subscriptions().list(18, all)],
    ['those of a condition', async () => await subscriptions().list(18, { ...all, condition: { path: 'payload.a', value: 17 } })],
    ['those of a name and flags', async () => await subscriptions().list(18, { ...all, name: 'event:s3success', flags: [0] })],
    ['one', async () => await subscriptions().findForCustomer(18, 17)],
    ['one to change', async () => await world.process.get(Database).transaction(async () => await subscriptions().lockForCustomer(18, 17))],
    ['one to delete', async () => await subscriptions().delete(17)],
    ['the newest entries of many', async () => await logs().findNewest([1, 2, 3], { limit: 5 })],
    ['the newest entries of one', async () => await logs().findNewest([1], { limit: 100, before: 30_000 })],
    ['the latest payload of a message', async () => await logs().findLatestPayload(1, 'm')],
    ['an entry', async () => await logs().find(1, 100)],
    ['the runs that have not ended', async () => await world.process.get(QuotasService).room(18, 'waitingRuns', 1)],
    ['the runs for an event', async () => await publish({})],
    ['the runs for an event to which others led', async () => await publish({ rootId: '16', depth: 1 })],
    ['the length of the queue', async () => await world.process.get(DatabaseMetricsService).find()],
    ['the files of a container', async () => await world.process.get(MediaReaderRepository).findFirstUploaded(18, 17)],
  ])('find by an index: %s', async (_name, run) => {
    expect(await world.wholeReads(run)).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    expect(await world.tablesFoundOut()).toEqual(LARGE);
  });
});
