import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { QuotasService } from '../../src/shared/quotas/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { aDropsite, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aFile, call, type ProcessedItem } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings });
  other = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
});
afterAll(async () => {
  await other.close();
  await app.close();
  await storage.close();
});

const files = (count: number, file: object = {}) => Array.from({ length: count }, (_, n) => aFile({ fileName: `${n}.jpg`, ...file }));
const usageOf = async ({ id }: { id: number }) =>
  (await app.app.get(Database).query('SELECT items, bytes FROM dropsite_usage WHERE dropsite_id = $1', [id])).rows;

describe('the limits of a day', () => {
  it('accept exactly as many items as allowed, of twenty concurrent requests at two processes', async () => {
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 5 });
    const urls = [app.url, addressOf(other.app)];
    const tries = Array.from({ length: 20 }, async (_, n) => await senderOf({ url: urls[n % 2] ?? '' }, dropsite.link).create());
    const answers = await Promise.all(tries);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refusals(refused)).toEqual(Array(15).fill([429, 'dropsite_limit_reached']));
    const seconds = 86_400 - ((Date.now() / 1_000) % 86_400);
    for (const { headers } of refused) expect(Math.abs(Number(headers.get('retry-after')) - seconds)).toBeLessThan(120);
    expect(await usageOf(dropsite)).toEqual([{ items: 5, bytes: '55' }]);
    const { rows } = await app.app.get(Database).query('SELECT FROM upload_batches WHERE dropsite_id = $1', [dropsite.id]);
    expect(rows).toHaveLength(5);
  });

  it('count bytes as announced', async () => {
    const { dropsite } = await aDropsite(app, { maxBytesPerDay: 100 });
    const sender = senderOf(app, dropsite.link);
    const answers = [];
    for (const fileSize of [101, 60, 41, 40, 1]) answers.push(await sender.create({ payload: [aFile({ fileSize })] }));
    expect(answers.map(({ status }) => status)).toEqual([429, 200, 429, 200, 429]);
  });

  it('count bytes beyond the announced ones once, and refuse no arrived file', async () => {
    const { dropsite } = await aDropsite(app, { maxBytesPerDay: 4_000_000 });
    const sender = senderOf(app, dropsite.link);
    const headers = { clientid: dropsite.clientId };
    const { body } = await sender.create({ payload: [0, 11, 1_000].map((fileSize) => aFile({ fileSize })) });
    const [large, exact, small] = body.processed as [ProcessedItem, ProcessedItem, ProcessedItem];
    await put(large, 'x'.repeat(5_000_000));
    await put(exact);
    await put(small, 'y');
    expect(await usageOf(dropsite)).toEqual([{ items: 3, bytes: '1011' }]);
    for (const item of [large, large, exact, small]) expect((await sender.succeed(item, { headers })).status).toBe(200);
    expect(await usageOf(dropsite)).toEqual([{ items: 3, bytes: '5001011' }]);
    const answers = [await sender.create({ payload: files(1, { fileSize: 0 }) }), await sender.create()];
    expect(refusals(answers)).toEqual(Array(2).fill([429, 'dropsite_limit_reached']));
    expect((await sender.complete(body.uploadId, { headers })).status).toBe(200);
  });

  it('count additional bytes on the day of their arrival, also at a dropsite that was deleted meanwhile', async () => {
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const headers = { clientid: dropsite.clientId };
    const [first, second] = (await sender.create({ payload: files(2, { fileSize: 0 }) })).body.processed as [ProcessedItem, ProcessedItem];
    await Promise.all([put(first), put(second)]);
    const database = app.app.get(Database);
    await database.query('UPDATE dropsite_usage SET day = day - 1 WHERE dropsite_id = $1', [dropsite.id]);
    expect((await sender.succeed(first, { headers })).status).toBe(200);
    const sql = 'SELECT items, bytes FROM dropsite_usage WHERE dropsite_id = $1 ORDER BY day';
    expect((await database.query(sql, [dropsite.id])).rows).toEqual([
      { items: 2, bytes: '0' },
      { items: 0, bytes: '11' },
    ]);
    await call(`${app.url}/v5/dropsite/${dropsite.id}`, { method: 'DELETE', token });
    expect((await sender.succeed(second, { headers })).status).toBe(200);
    expect((await database.query(sql, [dropsite.id])).rows).toEqual([
      { items: 2, bytes: '0' },
      { items: 0, bytes: '22' },
    ]);
  });

  it('count accepted items only, and a batch once', async () => {
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 3, maxBytesPerDay: 33, allowedTypes: ['image'] });
    const sender = senderOf(app, dropsite.link);
    const payload = [...files(2), aFile({ type: 'video' }), aFile({ fileName: '' })];
    const first = await sender.create({ payload });
    expect(first.body.error.map(({ index, code }) => [index, code])).toEqual([
      [2, 'type_not_allowed'],
      [3, 'missing_file_name'],
    ]);
    const { uploadId } = first.body;
    for (let n = 0; n < 3; n += 1) expect((await sender.create({ payload, uploadId })).status).toBe(200);
    expect(await usageOf(dropsite)).toEqual([{ items: 2, bytes: '22' }]);
    expect(refusals([await sender.create({ payload: files(2) })])).toEqual([[429, 'dropsite_limit_reached']]);
    expect((await sender.create({ payload: [...files(1), aFile({ type: 'video' }), 'nonsense'] })).status).toBe(200);
    expect((await sender.create({ payload, uploadId })).status).toBe(200);
    for (const waitForCompletion of [true, false]) {
      const answer = await sender.create({ payload: files(30, { type: 'video' }), waitForCompletion });
      expect([answer.status, answer.body.processed]).toEqual([200, []]); // the day is full, but these take no room
    }
    expect(refusals([await sender.create({ payload: files(1) })])).toEqual([[429, 'dropsite_limit_reached']]);
    expect(await usageOf(dropsite)).toEqual([{ items: 3, bytes: '33' }]);
  });

  it('count duplicates, which can be uploaded anyway', async () => {
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 2 });
    const { body } = await senderOf(app, dropsite.link).create({ payload: [aFile(), aFile()] });
    expect([body.processed.length, body.error.map(({ code }) => code)]).toEqual([2, ['duplicate']]);
    expect(await usageOf(dropsite)).toEqual([{ items: 2, bytes: '22' }]);
  });

  it('are looked at before credentials are asked for', async () => {
    const deaf = { ...storage.settings, stsEndpoint: 'http://127.0.0.1:9' };
    const without = await startTestApp({ ...deaf, database: app.database, publicUrl: app.url });
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 2, maxBytesPerDay: 100 });
    const { uploadId } = (await senderOf(app, dropsite.link).create()).body;
    const sender = senderOf({ url: addressOf(without.app) }, dropsite.link);
    const answers = [
      await sender.create({ payload: files(2) }),
      await sender.create({ payload: files(1, { fileSize: 90 }) }),
      await sender.create({ payload: files(1) }),
      await sender.create({ uploadId }),
    ];
    expect(refusals(answers)).toEqual([
      [429, 'dropsite_limit_reached'],
      [429, 'dropsite_limit_reached'],
      [503, 'storage_unavailable'],
      [503, 'storage_unavailable'],
    ]);
    expect(await usageOf(dropsite)).toEqual([{ items: 1, bytes: '11' }]);
    await without.close();
  });

  it('do not overflow: full counters stay full, and refuse nothing without a limit', async () => {
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    expect((await sender.create()).status).toBe(200);
    const full = { items: 2_147_483_647, bytes: '9223372036854775807' };
    await app.app.get(QuotasService).declare(dropsite.customerId, { anonymousUploadBytesPerDay: Number.MAX_SAFE_INTEGER });
    const database = app.app.get(Database);
    await database.query('UPDATE dropsite_usage SET items = $2, bytes = $3 WHERE dropsite_id = $1', [dropsite.id, full.items, full.bytes]);
    expect((await sender.create({ payload: files(10, { fileSize: 5 * 1024 ** 4 }) })).status).toBe(200);
    expect(await usageOf(dropsite)).toEqual([full]);
    for (const limits of [{ maxItemsPerDay: 2_147_483_647 }, { maxItemsPerDay: null, maxBytesPerDay: Number.MAX_SAFE_INTEGER }]) {
      await call(`${app.url}/v5/dropsite/${dropsite.id}`, { method: 'PUT', token, body: limits });
      expect(refusals([await sender.create()])).toEqual([[429, 'dropsite_limit_reached']]);
    }
  });

  it('leave no records of refused items, in a job either', async () => {
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 1 });
    const sender = senderOf(app, dropsite.link);
    const answers = [await sender.create({ payload: files(2) }), await sender.create({ payload: files(2), waitForCompletion: false })];
    expect(refusals(answers)).toEqual(Array(2).fill([429, 'dropsite_limit_reached']));
    const sql = `SELECT FROM upload_batches WHERE dropsite_id = $1 UNION ALL SELECT FROM activities WHERE client_id = $2
      UNION ALL SELECT FROM media_containers WHERE origin = $1`;
    expect((await app.app.get(Database).query(sql, [dropsite.id, dropsite.clientId])).rows).toEqual([]);
  });

  it('are forgotten with the day, as codes are with their time', async () => {
    const { dropsite } = await aDropsite(app);
    const database = app.app.get(Database);
    const sender = senderOf(app, dropsite.link);
    await sender.create();
    const { code } = (await sender.deliver()).body;
    await database.query(`INSERT INTO dropsite_usage VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 1, 1, 1)`, [dropsite.id]);
    await database.query(`INSERT INTO dropsite_codes VALUES ('past', $1, now() - interval '1 second')`, [dropsite.id]);
    await app.app.get(HousekeepingService).run();
    expect(await usageOf(dropsite)).toEqual([{ items: 1, bytes: '11' }]);
    const { rows } = await database.query(`SELECT code_hash FROM dropsite_codes WHERE dropsite_id = $1`, [dropsite.id]);
    expect(rows).toEqual([{ code_hash: sha256(code) }]);
  });

  it('reset on the next day, and can be removed', async () => {
    const { dropsite, token } = await aDropsite(app, { maxItemsPerDay: 1 });
    const sender = senderOf(app, dropsite.link);
    expect([(await sender.create()).status, (await sender.create()).status]).toEqual([200, 429]);
    await app.app.get(Database).query(`UPDATE dropsite_usage SET day = day - 1 WHERE dropsite_id = $1`, [dropsite.id]);
    expect([(await sender.create()).status, (await sender.create()).status]).toEqual([200, 429]);
    await call(`${app.url}/v5/dropsite/${dropsite.id}`, { method: 'PUT', token, body: { maxItemsPerDay: null } });
    expect((await sender.create()).status).toBe(200);
  });
});

describe('the password of a dropsite', () => {
  it('is asked for by token and create, not by deliver, and a session has proven it', async () => {
    const { dropsite } = await aDropsite(app, { password: 'open sesame' });
    const sender = senderOf(app, dropsite.link);
    const { body } = await sender.deliver();
    expect(body).toMatchObject({ requiresPassword: true });
    const { code } = body;
    expect(
      refusals([
        await sender.begin({ code }),
        await sender.begin({ code, password: 'open says me' }),
        await sender.create(),
        await sender.create({ password: '' }),
        await sender.create({ password: 'Open sesame' }),
      ]),
    ).toEqual([
      [401, 'password_required'],
      [401, 'password_wrong'],
      [401, 'password_required'],
      [401, 'password_required'],
      [401, 'password_wrong'],
    ]);
    const password = 'open sesame';
    expect((await sender.create({ password })).status).toBe(200);
    const session = await sender.begin({ code, password });
    const token = session.body.access_token;
    const answers = [
      await sender.create({}, { token }),
      await sender.create({ password }, { token }),
      await sender.create({ password: 'no' }, { token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401]);
  });

  it('delays senders who guess, and no others', async () => {
    const { dropsite } = await aDropsite(app, { password: 'open sesame' });
    const sender = senderOf(app, dropsite.link);
    for (let n = 0; n < 5; n += 1) {
      const known = await Promise.all(Array.from({ length: 20 }, async () => await sender.create({ password: 'open sesame' })));
      expect(known.map(({ status }) => status)).toEqual(Array(20).fill(200));
    }
    const guesses = await Promise.all(Array.from({ length: 60 }, async (_, n) => await sender.create({ password: `guess ${n}` })));
    const delayed = guesses.filter(({ status }) => status === 429);
    expect(delayed.length).toBeGreaterThan(5);
    expect(delayed[0]?.body).toMatchObject({ code: 'login_delayed' });
    expect(Number(delayed[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
