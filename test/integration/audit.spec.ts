import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import type { AuditRecord } from '../../src/shared/audit/audit-record.entity.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

describe('the audit trail', () => {
  let process: TestContext;
  let audit: AuditService;
  let database: Database;
  beforeAll(async () => {
    process = await startTestContext();
    audit = process.get(AuditService);
    database = process.get(Database);
  });
  afterAll(async () => await process.close());
  beforeEach(async () => {
    await database.query('TRUNCATE audit_records');
  });

  async function all(): Promise<AuditRecord[]> {
    const records = [];
    for await (const record of audit.all()) records.push(record);
    return records;
  }

  it('contains actor, action, subject, time and reason', async () => {
    const before = Date.now();
    await audit.record({
      action: 'user.disable',
      actor: 'command line',
      subject: 'user:ada@example.org',
      customerId: 7,
      reason: 'left the company',
    });
    await audit.record({ action: 'keys.rotate', actor: 'command line', subject: 'keys', customerId: null });
    expect(await all()).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Date),
        action: 'user.disable',
        actor: 'command line',
        onBehalfOf: null,
        subject: 'user:ada@example.org',
        customerId: 7,
        ids: null,
        reason: 'left the company',
      },
      expect.objectContaining({ action: 'keys.rotate', reason: null }),
    ]);
    const [record] = await all();
    expect(Math.abs(Number(record?.at) - before)).toBeLessThan(60_000);
  });

  it('commits a record together with its change, or neither', async () => {
    const failed = database.transaction(async () => {
      await audit.record({ action: 'a', actor: 'b', subject: 'c', customerId: null });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await all()).toEqual([]);
  });

  it.each([0, 1, 499, 500, 501, 1_234])('is read whole and in order, %i records in pages', async (count) => {
    await database.query(
      `INSERT INTO audit_records (action, actor, subject) SELECT 'a', 'b', g.n::text FROM generate_series(1, ${count}) AS g (n) ORDER BY g.n`,
    );
    expect((await all()).map(({ subject }) => Number(subject))).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it('has the latest records of one action on one subject, the newest first', async () => {
    for (const reason of ['1', '2', '3']) await audit.record({ action: 'visit', actor: 'staff', subject: 'user:1', customerId: 1, reason });
    await audit.record({ action: 'visit', actor: 'staff', subject: 'user:10', customerId: 1, reason: 'of another' });
    await audit.record({ action: 'other', actor: 'staff', subject: 'user:1', customerId: 1, reason: 'another action' });
    const latest = await audit.findLatest({ action: 'visit', subject: 'user:1' }, 2);
    expect(latest.map(({ reason }) => reason)).toEqual(['3', '2']);
  });

  it('streams the records of a customer, the newest first, to the end or to a limit', async () => {
    await database.query(
      `INSERT INTO audit_records (action, actor, subject, customer_id) SELECT 'a', 'b', g.n::text, g.n % 2 FROM generate_series(1, 2400) AS g (n)`,
    );
    const stream = async (limit?: number) => {
      const subjects = [];
      for await (const { subject } of audit.stream({ customerId: 1, withCommon: false }, { limit })) subjects.push(Number(subject));
      return subjects;
    };
    const all = Array.from({ length: 1_200 }, (_, index) => 2_399 - 2 * index);
    expect(await stream()).toEqual(all);
    expect(await stream(501)).toEqual(all.slice(0, 501));
  });
});
