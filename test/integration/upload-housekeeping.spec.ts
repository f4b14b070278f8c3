import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { ActivitiesService } from '../../src/modules/activity/activities.service.js';
import { ActivitiesRepository } from '../../src/modules/activity/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

let context: TestContext;
let database: Database;
let user: { id: number; customerId: number };

beforeAll(async () => {
  context = await startTestContext();
  database = context.get(Database);
  const accounts = context.get(AccountsService);
  await accounts.declareCustomer({ name: 'Newsroom' });
  user = await accounts.declareUser({ email: 'ada@example.org', customer: 'Newsroom', firstname: 'Ada', lastname: 'Lovelace' });
});

afterAll(async () => await context.close());

const batch = async (tidied: string | null): Promise<string> => {
  const uploadId = randomUUID();
  await database.query(
    `INSERT INTO upload_batches (customer_id, creator_id, upload_id, job_id, status, payload, credentials_expire_at, last_activity_at, tidied_at)
     VALUES ($1, $2, $3, gen_random_uuid(), 'completed', '[]', now() - interval '1 year', now() - interval '1 year', now() - $4::interval)`,
    [user.customerId, user.id, uploadId, tidied],
  );
  return uploadId;
};

const activity = async (age: string): Promise<string> => {
  const id = randomUUID();
  await context.get(ActivitiesRepository).start({ id, customerId: user.customerId, clientId: null, type: 'upload' });
  await database.query('UPDATE activities SET created_at = now() - $2::interval WHERE id = $1', [id, age]);
  return id;
};

const left = async (sql: string, ids: readonly string[]): Promise<boolean[]> => {
  const { rows } = await database.query<{ id: string }>(sql, [ids]);
  return ids.map((id) => rows.some((row) => row.id === id));
};

describe('the housekeeping of uploads', () => {
  it('keeps a batch for 90 days after its unsuccessful objects were deleted', async () => {
    const batches = [await batch('91 days'), await batch('89 days'), await batch(null)];
    await context.get(HousekeepingService).run();
    expect(await left('SELECT upload_id AS id FROM upload_batches WHERE upload_id = ANY($1::uuid[])', batches)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('keeps the result of a job for 30 days', async () => {
    const activities = [await activity('31 days'), await activity('29 days')];
    await context.get(HousekeepingService).run();
    expect(await left('SELECT id FROM activities WHERE id = ANY($1::uuid[])', activities)).toEqual([false, true]);
  });

  it('keeps a failed transcoding for a year, because pages show why a file is missing', async () => {
    const activities = [await activity('31 days'), await activity('31 days'), await activity('366 days')];
    const fail = `UPDATE activities SET type = 'transcoding', status = $2 WHERE id = ANY($1::uuid[])`;
    await database.query(fail, [activities, 'failed']);
    await database.query(fail, [activities.slice(1, 2), 'successful']);
    await context.get(HousekeepingService).run();
    expect(await left('SELECT id FROM activities WHERE id = ANY($1::uuid[])', activities)).toEqual([true, false, false]);
  });

  it('drops the credentials of a result when they have expired, and keeps the rest', async () => {
    const caller = { customerId: user.customerId, scopes: new Set(['api']) };
    const asker = { caller: { ...caller, ...user, clientId: null } as never, clientId: null };
    const activities = context.get(ActivitiesRepository);
    const ids = [randomUUID(), randomUUID()];
    for (const [n, id] of ids.entries()) {
      const expiresAt = new Date(Date.now() + (n === 0 ? -1_000 : 60_000));
      const outcome = { result: { n }, secret: { result: { n, credentials: 'secret' }, expiresAt } };
      await activities.succeed({ id, customerId: user.customerId, clientId: null, type: 'upload' }, outcome);
    }
    await context.get(HousekeepingService).run();
    const sealed = 'SELECT id FROM activities WHERE id = ANY($1::uuid[]) AND sealed_result IS NOT NULL';
    expect(await left(sealed, ids)).toEqual([false, true]);
    expect(await Promise.all(ids.map(async (id) => await context.get(ActivitiesService).getResult(asker, id)))).toEqual([
      { n: 0 },
      { n: 1, credentials: 'secret' },
    ]);
  });
});
