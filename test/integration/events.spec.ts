import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Customer } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import {
  DomainEvent,
  EVENT_NAMES,
  type EventListener,
  type EventName,
  EventOutboxService,
  type EventPayloads,
  type NewEvent,
} from '../../src/shared/events/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

const PAYLOADS: { [Name in EventName]: EventPayloads[Name] } = {
  'event:s3success': { mediaContainerId: 1, mediaId: 2, customerId: 3, role: null, language: null },
  'event:mediaProblem': { mediaContainerId: 1, mediaId: 2, code: 'cut_off', message: 'The end is missing.' },
  'event:uploadComplete': { uploadId: 'u', mediaContainerIds: [1] },
  'event:dropsiteUploadComplete': { uploadId: 'u', link: 'l', dropsiteId: 1, mediaContainerIds: [1], email: null },
  'event:dropsiteUploadStarted': { uploadId: 'u', link: 'l', dropsiteId: 1, ownerId: 2, duration: null, totalSize: 3, items: 4 },
  'event:releaseRequest': { mediaContainerId: 1, requesterId: 2, message: 'Grüße 🎬 and \\u0000 in letters' },
  'event:transcoderJobComplete': { jobId: 'j', mediaContainerId: 1, mediaId: 2, formatId: 3, status: 'failed' },
  'event:dropsiteToPublicArea': { dropsiteId: 1, publicAreaIds: [2], mediaContainerIds: [3] },
};

describe('the outbox of events', () => {
  let database: TestDatabase;
  let processes: TestContext[];
  let customerId: number;
  beforeEach(async () => {
    database = await createTestDatabase();
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map(async (process) => await process.close()));
    await database.drop();
  });

  async function start(worker: 'inline' | 'off', ...listeners: EventListener[]) {
    const prepare = (get: TestContext['get']) => {
      for (const listener of listeners) get(EventOutboxService).addListener(EVENT_NAMES, 'after-commit', listener);
    };
    const process = await startTestContext({ database, worker, prepare });
    processes.push(process);
    const db = process.get(Database);
    customerId ||= 0;
    customerId =
      (await db.repository(Customer).findOneBy({ name: 'Acme' }))?.id ?? (await db.repository(Customer).save({ name: 'Acme' })).id;
    return { outbox: process.get(EventOutboxService), db };
  }

  const event = (depth?: number): NewEvent => ({
    name: 'event:s3success',
    customerId,
    method: 'create',
    payload: PAYLOADS['event:s3success'],
    ...(depth === undefined ? {} : { depth }),
  });
  const counts = async (db: Database) =>
    (await db.queryOne(
      `SELECT (SELECT count(*)::int FROM events) AS events,
        (SELECT count(*)::int FROM graphile_worker.jobs WHERE task_identifier = 'deliver_event') AS jobs`,
    )) as unknown;

  const nobody: EventListener = async () => {};

  it('keeps an event and the job that hands it out together, or neither', async () => {
    const { outbox, db } = await start('off', nobody);
    const failed = db.transaction(async () => {
      await outbox.publish(event());
      expect(await counts(db)).toEqual({ events: 1, jobs: 1 });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await counts(db)).toEqual({ events: 0, jobs: 0 });
    await db.transaction(async () => await outbox.publish(event()));
    await outbox.publish(event());
    expect(await counts(db)).toEqual({ events: 2, jobs: 2 });
  });

  it('adds no job for an event without listeners', async () => {
    const { outbox, db } = await start('off');
    const name = 'event:releaseRequest';
    await outbox.publish({ name, customerId, method: 'create', payload: PAYLOADS[name] });
    expect(await counts(db)).toEqual({ events: 1, jobs: 0 });
  });

  it('calls an observer in the transaction of the event, and rolls back the cause if the observer throws', async () => {
    const { outbox, db } = await start('off', nobody);
    const seen: string[] = [];
    outbox.addListener(EVENT_NAMES, 'in-transaction', async ({ id }) => {
      expect((await db.query('SELECT FROM events')).rowCount).toBe(1);
      seen.push(id);
      if (seen.length === 2) throw new Error('not this one');
    });
    const { id } = await outbox.publish(event());
    expect(seen).toEqual([id]);
    await db.query('DELETE FROM events');
    await expect(outbox.publish(event())).rejects.toThrow('not this one');
    expect(await counts(db)).toEqual({ events: 0, jobs: 1 });
  });

  it('keeps neither of an event of a customer that does not exist', async () => {
    const { outbox, db } = await start('off');
    await expect(outbox.publish({ ...event(), customerId: 4_711 })).rejects.toThrow();
    expect(await counts(db)).toEqual({ events: 0, jobs: 0 });
  });

  it('hands each of the eight events to every listener, as it was published', async () => {
    const heard: DomainEvent[][] = [[], []];
    const { db } = await start(
      'inline',
      async (one) => void heard[0]?.push(one),
      async (one) => void heard[1]?.push(one),
    );
    const { outbox } = await start('off', nobody);
    const published: DomainEvent[] = [];
    for (const [name, payload] of Object.entries(PAYLOADS)) {
      published.push(await outbox.publish({ name, customerId, method: 'update', payload, depth: 2 } as NewEvent));
    }
    expect(published).toHaveLength(8);
    await eventually(() => heard.every((list) => list.length === 8));
    const byId = (left: DomainEvent, right: DomainEvent) => Number(left.id) - Number(right.id);
    for (const list of heard) {
      expect(list.sort(byId)).toEqual(
        Object.entries(PAYLOADS).map(([name, payload], index) => ({
          id: published[index]?.id,
          name,
          customerId,
          method: 'update',
          payload,
          depth: 2,
          rootId: null,
          furtherRuns: 0,
          traceparent: null,
          createdAt: expect.any(Date),
        })),
      );
    }
    await eventually(async () => ((await counts(db)) as { jobs: number }).jobs === 0);
  });

  it('starts the depth at 0', async () => {
    const { outbox, db } = await start('off');
    const { id } = await outbox.publish(event());
    expect(await db.repository(DomainEvent).findOneByOrFail({ id })).toMatchObject({ depth: 0 });
  });

  it('delivers an event until every listener has succeeded; a failing listener does not block the others', async () => {
    const heard: string[] = [];
    let failures = 0;
    const failing: EventListener = async () => {
      failures += 1;
      if (failures === 1) throw new Error('not now');
      heard.push('at last');
    };
    const { outbox, db } = await start('inline', failing, async () => void heard.push('at once'));
    await outbox.publish(event());
    await eventually(() => heard.length === 1);
    expect(heard).toEqual(['at once']);
    await eventually(
      async () => (await db.query(`SELECT FROM graphile_worker._private_jobs WHERE attempts = 1 AND locked_at IS NULL`)).rowCount === 1,
    );
    await db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()`); // instead of waiting
    await eventually(() => heard.includes('at last'));
    await eventually(async () => ((await counts(db)) as { jobs: number }).jobs === 0);
  });

  it('ignores an event of a deleted customer', async () => {
    const { outbox, db } = await start('off', nobody);
    await outbox.publish(event());
    await db.query('DELETE FROM customers');
    const heard: DomainEvent[] = [];
    await start('inline', async (one) => void heard.push(one));
    await eventually(async () => ((await counts(db)) as { jobs: number }).jobs === 0);
    expect(heard).toEqual([]);
  });
});
