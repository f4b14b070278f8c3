import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TranscodingWorker } from '../../src/modules/converter/transcodings/transcoding.worker.js';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { type QuotaName, QuotasService } from '../../src/shared/quotas/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { applyDocument, auditTrail } from '../support/app/admin.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { ignoreMissingPrograms } from '../support/converter/converter-workers.js';
import { aFormat } from '../support/converter/formats.js';
import { transcode, waitingJobs } from '../support/converter/transcoding.js';
import { aDropsite, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aContainer, originalOf } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { anInstruction, subscriptionsOf } from '../support/subscriptions/subscriptions.js';

type Usage = { quotas: Record<QuotaName, { limit: number; used: number }>; storage: { bytes: number; items: number } };

let storage: TestStorage;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings, worker: 'inline', retryScheduleSeconds: [] });
  ignoreMissingPrograms(app);
  await app.app.get(TranscodingWorker).beforeApplicationShutdown(); // what waits, waits until the end of a test
  other = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
});
afterAll(async () => {
  await other.close();
  await app.close();
  await storage.close();
});

/** A user whose customer has these quotas. */
async function aCustomer(quotas: Partial<Record<QuotaName, number | null>> = {}) {
  const user = await aUser(app, { adminLevel: 9 });
  const token = await tokenOf(app, user);
  const declare = async (wanted: object) => {
    const sql = 'SELECT name FROM customers WHERE id = $1';
    const name = (await app.app.get(Database).queryOne<{ name: string }>(sql, [user.customerId]))?.name ?? '';
    return await applyDocument(app, { customers: [{ name, quotas: wanted }] });
  };
  await declare(quotas);
  const usage = async () => (await call<Usage>(`${app.url}/v5/customer/usage`, { token })).body;
  const used = async (name: QuotaName) => (await usage()).quotas[name].used;
  return { user, token, declare, usage, used };
}

const VIDEO = { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' } as const;

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A dropsite whose customer takes so many bytes a day from anonymous senders. */
async function aBoundDropsite(anonymousUploadBytesPerDay: number) {
  const made = await aDropsite(app);
  await app.app.get(QuotasService).declare(made.owner.customerId, { anonymousUploadBytesPerDay });
  const usage = async () => (await call<Usage>(`${app.url}/v5/customer/usage`, { token: made.token })).body;
  return { ...made, used: async () => (await usage()).quotas.anonymousUploadBytesPerDay.used };
}

/** What each operation needs that makes one more of something. */
const makers: Partial<
  Record<QuotaName, (token: string, user: Awaited<ReturnType<typeof aUser>>) => Promise<[path: string, body: object]>>
> = {
  formats: async (_, user) => ['format', { blueprintId: await blueprint(), converter: 'ffmpeg', name: `f${user.id}`, settings: {} }],
  playerConfigurations: async () => ['playerconfiguration', { name: 'p', type: 'video', templateId: 1, formats: [] }],
  subscriptions: async () => ['subscriptions', { name: 'event:s3success', flag: 0, instructions: [anInstruction()] }],
  dropsites: async () => ['dropsite', { name: 'd' }],
  downloadLinks: async (_, user) => {
    const { id } = await aContainer(app, user);
    return ['downloadlink', { mediaContainerIds: [id], formatIds: [await originalOf(app, user, 'video')] }];
  },
};

const addDownloadLinks = async ({ app: process }: TestApp, user: Awaited<ReturnType<typeof aUser>>, count: number) =>
  await process.get(Database).query(
    `INSERT INTO download_links (link, customer_id, creator_id, media_container_ids, format_ids)
      SELECT gen_random_uuid(), $1, $2, '{}', '{}' FROM generate_series(1, $3)`,
    [user.customerId, user.id, count],
  );

const blueprint = async () => {
  const sql = `SELECT id FROM formats WHERE customer_id IS NULL AND converter = 'ffmpeg' ORDER BY id LIMIT 1`;
  return (await app.app.get(Database).queryOne<{ id: number }>(sql))?.id;
};

describe('the quotas of a customer', () => {
  it('are shown with their use, and have defaults', async () => {
    const { usage, token, user } = await aCustomer();
    expect(await usage()).toEqual({
      quotas: {
        formats: { limit: 1_000, used: 0 },
        playerConfigurations: { limit: 10_000, used: 0 },
        subscriptions: { limit: 1_000, used: 0 },
        dropsites: { limit: 1_000, used: 0 },
        downloadLinks: { limit: 100_000, used: 0 },
        waitingRuns: { limit: 100_000, used: 0 },
        waitingTranscodings: { limit: 100_000, used: 0 },
        mailsPerDay: { limit: 1_000, used: 0 },
        anonymousUploadBytesPerDay: { limit: 1024 ** 4, used: 0 },
      },
      storage: { bytes: 0, items: 0 },
    });
    const reader = await tokenOf(app, user, 'api:read');
    expect((await call(`${app.url}/v5/customer/usage`, { token: reader })).status).toBe(200);
    expect((await call(`${app.url}/v5/customer/usage`)).status).toBe(401);
    const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, {
      token,
      body: { payload: [aFile(), aFile({ fileName: 'b.jpg' })] },
    });
    const item = body.processed[0] as ProcessedItem;
    await put(item);
    await call(`${app.url}/v5/s3/success`, { token, body: { bucket: item.bucket, key: item.s3Key } });
    expect((await usage()).storage).toEqual({ bytes: 11, items: 1 });
  });

  it('are declared in the provisioning file, one by one, and null leads back to the default', async () => {
    const { declare, usage, user } = await aCustomer({ formats: 5, mailsPerDay: 7 });
    await declare({ formats: null, dropsites: 0 });
    const { quotas } = await usage();
    expect([quotas.formats.limit, quotas.mailsPerDay.limit, quotas.dropsites.limit]).toEqual([1_000, 7, 0]);
    expect(await auditTrail(app)).toContain(`customer.set_quotas customer:${user.customerId}`);
    await expect(declare({ format: 1 })).rejects.toThrow(/quotas/);
    await expect(declare({ formats: -1 })).rejects.toThrow(/quotas/);
    await expect(declare({ formats: '5' })).rejects.toThrow(/quotas/);
  });

  it.each(Object.keys(makers) as QuotaName[])(
    'let through as many %s as are allowed, of eight requests at once on two processes',
    async (name) => {
      const { token, user, used, declare } = await aCustomer({ [name]: 2 });
      const [path, body] = (await makers[name]?.(token, user)) ?? ['', {}];
      const urls = [app.url, addressOf(other.app)];
      const make = async (n: number) => await call(`${urls[n % 2]}/v5/${path}`, { token, body });
      const answers = await Promise.all(Array.from({ length: 8 }, async (_, n) => await make(n)));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(6);
      expect(refusals(refused)).toEqual(Array(6).fill([429, 'quota_exceeded']));
      expect(refused[0]?.body).toMatchObject({ quota: name, limit: 2 });
      expect(refused[0]?.headers.get('retry-after')).toBeNull();
      await declare({ [name]: 1 });
      expect(await used(name)).toBe(2); // what is there stays
      const { body: made } = answers.find(({ status }) => status === 201) ?? {};
      expect((await call(`${app.url}/v5/${path}/${(made as { id: number }).id}`, { method: 'DELETE', token })).status).toBeLessThan(300);
      expect((await make(0)).status).toBe(429);
      await declare({ [name]: null });
      expect((await make(0)).status).toBe(201);
    },
  );

  it('limit the bytes that anonymous senders announce at all dropsites per day, corrected by the arrived bytes', async () => {
    const { dropsite, token, used } = await aBoundDropsite(1_000);
    const second = (await call<typeof dropsite>(`${app.url}/v5/dropsite`, { token, body: { name: 'Second' } })).body;
    const sender = senderOf(app, dropsite.link);
    const { body } = await sender.create({ payload: [aFile({ fileSize: 900 })] });
    expect(await used()).toBe(900);
    const refused = await senderOf(app, second.link).create({ payload: [aFile({ fileSize: 101 })] });
    expect(refusals([refused])).toEqual([[429, 'quota_exceeded']]);
    expect(refused.body).toMatchObject({ quota: 'anonymousUploadBytesPerDay', limit: 1_000 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const own = await call(`${app.url}/v5/dropsite/createUpload`, {
      token,
      body: { link: dropsite.link, payload: [aFile({ fileSize: 5_000 })] },
    });
    expect(own.status).toBe(200); // a user of the customer is no stranger
    const item = body.processed[0] as ProcessedItem;
    await put(item, 'x'.repeat(400));
    await sender.succeed(item, { headers: { clientid: dropsite.clientId } });
    expect(await used()).toBe(400);
    const metadata = [{ title: 'a', content: 'x'.repeat(700) }];
    expect((await sender.create({ payload: [aFile({ fileSize: 0, metadata })] })).status).toBe(429);
  });

  it('count at least the requests of anonymous senders: items without content, refused items', async () => {
    const empty = [aFile({ fileSize: 0 }), aFile({ fileName: 'b.jpg', fileSize: 0 })];
    const bad = [{ type: 'no type', fileName: 'x'.repeat(200) }];
    const { dropsite, used } = await aBoundDropsite(jsonBytes(empty) + jsonBytes(bad) + 100);
    const sender = senderOf(app, dropsite.link);
    expect((await sender.create({ payload: empty })).status).toBe(200);
    expect(await used()).toBe(jsonBytes(empty));
    expect((await sender.create({ payload: bad })).status).toBe(200);
    expect(await used()).toBe(jsonBytes(empty) + jsonBytes(bad));
    expect(refusals([await sender.create({ payload: bad })])).toEqual([[429, 'quota_exceeded']]);
  });

  it('limit the sessions of senders, with a generated, a new and a known address', async () => {
    const { dropsite, owner, used } = await aBoundDropsite(300);
    const sender = senderOf(app, dropsite.link);
    await sender.session();
    await sender.session({ email: 'grace@example.org' });
    await sender.session({ email: 'grace@example.org' });
    expect(await used()).toBe(300);
    const { code } = (await sender.deliver()).body;
    const refused = await sender.begin({ code });
    expect(refusals([refused, await sender.begin({ code, email: 'grace@example.org' })])).toEqual(Array(2).fill([429, 'quota_exceeded']));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const senders = `SELECT count(*)::int AS made FROM users WHERE customer_id = $1 AND kind = 'sender'`;
    expect(await app.app.get(Database).queryOne(senders, [owner.customerId])).toEqual({ made: 2 });
    await app.app.get(QuotasService).declare(owner.customerId, { anonymousUploadBytesPerDay: null });
    expect((await sender.begin({ code })).status).toBe(200); // the refusals did not use up the code
  });

  it('permit exactly the allowed bytes per day, with ten concurrent requests', async () => {
    const { user } = await aCustomer({ mailsPerDay: 5 });
    const quotas = [app, other].map((process) => process.app.get(QuotasService));
    const taken = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => await quotas[n % 2]?.take(user.customerId, 'mailsPerDay', 1)),
    );
    expect(taken.filter(Boolean)).toHaveLength(5);
  });

  it.each([
    ['one each, where the last of a large stock remain', { limit: 20_005, used: 20_000, amount: 1 }, 5],
    ['thousands each, far from the limit', { limit: 21_000, used: 0, amount: 3_000 }, 7],
  ])(
    'permit exactly the allowed number, with ten concurrent transactions that add %s',
    async (_case, { limit, used, amount }, permitted) => {
      const { user, used: counted } = await aCustomer({ downloadLinks: limit });
      await addDownloadLinks(app, user, used);
      const added = await Promise.allSettled(
        [app, other, app, other, app, other, app, other, app, other].map(async (process) => {
          await process.app.get(Database).transaction(async () => {
            await process.app.get(QuotasService).reserve(user.customerId, 'downloadLinks', amount);
            await addDownloadLinks(process, user, amount);
          });
        }),
      );
      expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(permitted);
      expect(await counted('downloadLinks')).toBe(used + permitted * amount);
    },
  );

  it('log an event beyond the waiting runs, and never refuse its cause', async () => {
    const { user, token, used } = await aCustomer({ waitingRuns: 1 });
    const mine = subscriptionsOf(app, token);
    const { id: containerId } = await aContainer(app, user);
    const held = { name: 'event:releaseRequest', instructions: [{ type: 'https', url: 'https://hooks.example.org/' }] };
    const [first, second] = [await mine.made(held), await mine.made(held)];
    await app.app.get(Database).query(`UPDATE subscriptions SET lanes = '{never tried}' WHERE id = ANY($1)`, [[first.id, second.id]]);
    await app.app.get(Database).query(`UPDATE subscriptions SET flag = 2 WHERE id = $1`, [first.id]); // its runs wait for each other
    const { status } = await call(`${app.url}/v5/mediacontainer/${containerId}/releaseRequest`, { token, body: {} });
    expect(status).toBe(200);
    expect(await used('waitingRuns')).toBeLessThanOrEqual(1);
    const { logs } = (await mine.get(second.id)).body;
    expect(logs).toEqual([expect.objectContaining({ statusCode: 429, reason: expect.stringMatching(/^quota: /) })]);
  });

  it('refuse transcodings beyond the waiting ones, and return those that wait already', async () => {
    const { token, used } = await aCustomer({ waitingTranscodings: 1 });
    const [one, other] = [await aFormat(app, token), await aFormat(app, token)];
    const { id } = await uploadMedia(app, token, VIDEO);
    const both = await transcode(app, token, { id, formatIds: [one.id, other.id] });
    expect(refusals([both])).toEqual([[429, 'quota_exceeded']]);
    expect(both.body).toMatchObject({ quota: 'waitingTranscodings', limit: 1 });
    expect(both.headers.get('retry-after')).toBe('60');
    expect(await waitingJobs(app, id)).toEqual([]); // all or nothing
    const { status, body } = await transcode(app, token, { id, formatIds: [one.id] });
    expect(status).toBe(200);
    expect(refusals([await transcode(app, token, { id, formatIds: [other.id] })])).toEqual([[429, 'quota_exceeded']]);
    expect(await used('waitingTranscodings')).toBe(1);
    const jobId = body.jobs[0]?.jobId ?? '';
    await app.app.get(Database).query('DELETE FROM transcoding_jobs WHERE id = $1', [jobId]);
    expect((await transcode(app, token, { id, formatIds: [other.id] })).status).toBe(200);
  });

  it('make automatic transcodings beyond those that may wait fail as activities, and never the upload', async () => {
    const { token, used } = await aCustomer({ waitingTranscodings: 1 });
    const settings = { autoGenerate: ['video'] };
    const formats = [await aFormat(app, token, { settings }), await aFormat(app, token, { settings })];
    const { id } = await uploadMedia(app, token, VIDEO);
    expect(await waitingJobs(app, id)).toHaveLength(1);
    expect(await used('waitingTranscodings')).toBe(1);
    const path = `v5/activity?mediaContainerId=${id}&type=transcoding`;
    const activities = (await call<Record<string, unknown>[]>(`${app.url}/${path}`, { token })).body;
    expect(activities.map(({ formatId }) => formatId).sort()).toEqual(formats.map((format) => format.id).sort());
    const failed = activities.filter(({ status }) => status === 'failed');
    expect(failed).toMatchObject([{ message: expect.stringMatching(/quota of the customer: 1 transcodings/), progress: 0 }]);
    const result = await call(`${app.url}/v5/activity/jobResult/${failed[0]?.jobId}`, { token });
    expect(result.body).toMatchObject({ code: 'quota_exceeded' });
  });

  it('are counted by a metric each, which is there before anything was refused', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).toMatch(/quota_exceeded_total\{quota="formats"\} \d/);
    expect(text).toMatch(/quota_exceeded_total\{quota="anonymousUploadBytesPerDay"\} \d/);
  });
});

describe('a storm', () => {
  it('of runs that cause events ends after a thousand runs, with the reason in the log', async () => {
    const { user, token } = await aCustomer();
    const mine = subscriptionsOf(app, token);
    const { id: containerId } = await aContainer(app, user);
    const made = await mine.made({ name: 'event:releaseRequest' });
    const insert = `INSERT INTO subscriptions (customer_id, creator_id, last_editor_id, name, flag, instructions, lanes, signing_secret)
      SELECT customer_id, creator_id, last_editor_id, name, flag, instructions, '{never tried}', signing_secret FROM subscriptions, generate_series(1, 399)
      WHERE id = $1`;
    const database = app.app.get(Database);
    await database.query(insert, [made.id]);
    const event = { name: 'event:releaseRequest', customerId: user.customerId, method: 'create' } as const;
    const payload = { mediaContainerId: containerId, requesterId: user.id, message: null };
    const outbox = app.app.get(EventOutboxService);
    const root = await outbox.publish({ ...event, payload });
    const further = async (depth: number) => await outbox.publish({ ...event, payload, depth, rootId: root.id });
    await Promise.all([further(1), further(1), further(2)]);
    const sql = `SELECT count(*)::int AS runs FROM subscription_runs r JOIN events e ON e.id = r.event_id WHERE coalesce(e.root_id, e.id) = $1`;
    expect(await database.queryOne(sql, [root.id])).toEqual({ runs: 1_000 });
    const reasons = `SELECT count(*)::int AS logged FROM subscription_logs l JOIN subscriptions s ON s.id = l.subscription_id
      WHERE s.customer_id = $1 AND l.reason LIKE 'budget: %' AND l.status_code = 508`;
    expect(await database.queryOne(reasons, [user.customerId])).toEqual({ logged: 600 });
    await outbox.publish({ ...event, payload });
    await eventually(async () => (await database.queryOne<{ runs: number }>(sql, [root.id]))?.runs === 1_000);
  });

  it('adds at most twenty refusals an hour to the log of a subscription, whatever else is logged between them', async () => {
    const { user, token } = await aCustomer();
    const mine = subscriptionsOf(app, token);
    const { id: containerId } = await aContainer(app, user);
    const { id } = await mine.made({ name: 'event:releaseRequest' });
    const database = app.app.get(Database);
    const event = { name: 'event:releaseRequest', customerId: user.customerId, method: 'create' } as const;
    const payload = { mediaContainerId: containerId, requesterId: user.id, message: null };
    const outbox = app.app.get(EventOutboxService);
    const root = await outbox.publish({ ...event, payload });
    await database.query('UPDATE events SET further_runs = 1000 WHERE id = $1', [root.id]);
    for (let index = 0; index < 25; index += 1) {
      await outbox.publish({ ...event, payload, depth: 1, rootId: root.id });
      await database.query(
        `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, duration_ms)
        VALUES ($1, 1, 0, 'sent', 1, 'https', 200, 1)`,
        [id],
      );
    }
    const refused = `SELECT count(*)::int AS logged FROM subscription_logs WHERE subscription_id = $1 AND reason LIKE 'budget: %'`;
    expect(await database.queryOne(refused, [id])).toEqual({ logged: 20 });
  });

  it('is known by its first event, however many instructions lie between', async () => {
    const { user, token } = await aCustomer();
    const { id: containerId } = await aContainer(app, user);
    const path = `v5/mediacontainer/${containerId}/releaseRequest`;
    await subscriptionsOf(app, token).made({
      name: 'event:releaseRequest',
      instructions: [{ type: 'api', method: 'POST', path, payload: {} }],
    });
    await call(`${app.url}/${path}`, { token, body: {} });
    const sql = 'SELECT depth, id, root_id AS root, further_runs AS runs FROM events WHERE customer_id = $1 ORDER BY id';
    const events = async () =>
      (await app.app.get(Database).query<{ depth: number; id: string; root: string | null; runs: number }>(sql, [user.customerId])).rows;
    await eventually(async () => (await events()).length === 6);
    const [first, ...rest] = await events();
    expect([first?.root, first?.runs]).toEqual([null, 5]);
    expect(rest.map(({ root }) => root)).toEqual(Array(5).fill(first?.id));
  });
});
