import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Customer } from '../../src/modules/accounts/index.js';
import { Activities, Activity } from '../../src/modules/activity/index.js';
import { TranscodingCompletion, type TranscodingEnd } from '../../src/modules/converter/index.js';
import { Database } from '../../src/shared/database/index.js';
import { DomainEvent, EventOutbox } from '../../src/shared/events/index.js';
import { startTestContext, type TestContext } from '../support/test-context.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('the end of a transcoding job', () => {
  let database: TestDatabase;
  let context: TestContext;
  let customerId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    context = await startTestContext({ database, worker: 'off' });
    customerId = (await context.get(Database).repository(Customer).save({ name: 'Acme' })).id;
  });
  afterAll(async () => {
    await context.close();
    await database.drop();
  });

  async function begin(): Promise<TranscodingEnd> {
    const jobId = randomUUID();
    await context.get(Activities).begin({ id: jobId, customerId, clientId: null, type: 'transcoding' });
    return { jobId, customerId, mediaContainerId: 1, mediaId: 2, formatId: 3, failure: null };
  }
  const complete = async (end: TranscodingEnd) => await context.get(TranscodingCompletion).complete(end);
  const job = async ({ jobId }: TranscodingEnd) => await context.get(Database).repository(Activity).findOneByOrFail({ id: jobId });
  const events = async ({ jobId }: TranscodingEnd) =>
    (await context.get(Database).repository(DomainEvent).findBy({ name: 'event:transcoderJobComplete' })).filter(
      ({ payload }) => payload.jobId === jobId,
    );

  it('is told to who asks for the job, and to who listens', async () => {
    const end = await begin();
    expect(await complete(end)).toBe(true);
    expect(await job(end)).toMatchObject({
      status: 'successful',
      result: { ok: true, mediaContainerId: 1, mediaId: 2, formatId: 3 },
    });
    const payload = { jobId: end.jobId, mediaContainerId: 1, mediaId: 2, formatId: 3, status: 'successful' };
    expect(await events(end)).toEqual([expect.objectContaining({ customerId, method: 'update', depth: 0, payload })]);
  });

  it('says why it failed', async () => {
    const end = { ...(await begin()), failure: { code: 'unreadable', message: 'The file is no video.' } };
    expect(await complete(end)).toBe(true);
    expect(await job(end)).toMatchObject({ status: 'failed', code: 'unreadable', message: 'The file is no video.', result: null });
    expect(await events(end)).toEqual([expect.objectContaining({ payload: expect.objectContaining({ status: 'failed' }) })]);
  });

  it('comes once, whoever tells it again', async () => {
    const end = await begin();
    const told = await Promise.all([complete(end), complete({ ...end, failure: { code: 'late', message: 'Too late.' } }), complete(end)]);
    expect(told.filter(Boolean)).toHaveLength(1);
    expect(await events(end)).toHaveLength(1);
  });

  it('leaves the job under way when the event cannot be written', async () => {
    const end = await begin();
    context.get(EventOutbox).witness(async ({ payload }) => {
      if (payload.jobId === end.jobId) throw new Error('no room');
    });
    await expect(complete(end)).rejects.toThrow('no room');
    expect(await job(end)).toMatchObject({ status: 'running' });
    expect(await events(end)).toEqual([]);
  });
});
