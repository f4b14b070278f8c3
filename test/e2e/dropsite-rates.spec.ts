import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { RateLimits } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { addressOf, startTestApp, type TestApp, useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aFile } from '../support/media/uploads.js';

const { app, storage } = useTestAppWithStorage();

const files = (count: number, file: object = {}) => Array.from({ length: count }, (_, n) => aFile({ fileName: `${n}.jpg`, ...file }));

const GENEROUS = { points: 100_000, seconds: 60 };
const limitsWith = (limits: Partial<RateLimits>): RateLimits => ({
  ...{
    address: GENEROUS,
    login: GENEROUS,
    saml: GENEROUS,
    token: GENEROUS,
    dropsite: GENEROUS,
    items: GENEROUS,
    refused: GENEROUS,
    delivery: GENEROUS,
    segments: GENEROUS,
    polling: GENEROUS,
    api: GENEROUS,
  },
  ...limits,
});

describe('the rate of accepted items', () => {
  it('is limited for a network across all dropsites, and not for users with a token', async () => {
    const rateLimits = limitsWith({ items: { points: 20, seconds: 600 } });
    const limited = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, rateLimits });
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const [first, second] = [await aDropsite(app), await aDropsite(app)];
    const [one, two] = [first, second].map(({ dropsite }) => senderOf({ url: addressOf(limited.app) }, dropsite.link));
    if (!one || !two) throw new Error('Two dropsites are needed.');
    const session = { token: (await two.session({ email: 'ada@example.org' })).access_token };
    const answers = [
      await one.create({ payload: files(15) }),
      await two.create({ payload: files(6) }, session),
      await two.create({ payload: files(6) }, { token: second.token }),
    ];
    expect(refusals(answers)).toEqual([
      [200, undefined],
      [429, 'rate_limited'],
      [200, undefined],
    ]);
    await limited.close();
  });

  it('does not count a batch that could not be stored', async () => {
    const rateLimits = limitsWith({ items: { points: 20, seconds: 600 } });
    const settings = { ...storage.settings, stsEndpoint: 'http://127.0.0.1:9', database: app.database, publicUrl: app.url, rateLimits };
    const without = await startTestApp(settings);
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const { dropsite } = await aDropsite(app);
    const sender = senderOf({ url: addressOf(without.app) }, dropsite.link);
    const answers = [await sender.create({ payload: files(15) }), await sender.create({ payload: files(15) })];
    expect(refusals(answers)).toEqual([
      [503, 'storage_unavailable'],
      [503, 'storage_unavailable'],
    ]);
    await without.close();
  });
});

describe('the rate of refused items', () => {
  it('is limited for a network, with sessions and without, over all processes and in jobs too', async () => {
    const rateLimits = limitsWith({ refused: { points: 20, seconds: 600 } });
    const settings = { ...storage.settings, database: app.database, publicUrl: app.url, rateLimits };
    const [one, two] = [await startTestApp(settings), await startTestApp(settings)];
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const { dropsite } = await aDropsite(app);
    const at = ({ app: process }: TestApp) => senderOf({ url: addressOf(process) }, dropsite.link);
    const [here, there] = [at(one), at(two)];
    const bad = (count: number) => Array.from({ length: count }, () => ({ fileName: '', nonsense: 'x'.repeat(500) }));
    const session = { token: (await here.session({ email: 'ada@example.org' })).access_token };
    const answers = [
      await here.create({ payload: [...files(3), ...bad(9)] }),
      await there.create({ payload: bad(9), waitForCompletion: false }, session),
      await here.create({ payload: [...files(1), ...bad(3)] }),
      await there.create({ payload: bad(1) }, session),
      await there.create({ payload: files(3) }),
      await here.create({ payload: files(3) }, session),
    ];
    expect(refusals(answers)).toEqual([
      [200, undefined],
      [200, undefined],
      [429, 'rate_limited'],
      [429, 'rate_limited'],
      [200, undefined],
      [200, undefined],
    ]);
    const wait = Number(answers[2]?.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(500);
    expect(wait).toBeLessThanOrEqual(600);
    const sql = 'SELECT FROM upload_batches WHERE dropsite_id = $1';
    expect((await app.app.get(Database).query(sql, [dropsite.id])).rows).toHaveLength(4);
    for (const process of [one, two]) await process.close();
  });

  it('is limited per user with a token, and a batch that is larger than the limit passes once', async () => {
    const rateLimits = limitsWith({ refused: { points: 5, seconds: 600 } });
    const limited = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, rateLimits });
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf({ url: addressOf(limited.app) }, dropsite.link);
    const payload = files(50, { type: 'hologram' });
    const answers = [await sender.create({ payload }), await sender.create({ payload }), await sender.create({ payload }, { token })];
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
    await limited.close();
  });

  it('does not count a repeated batch', async () => {
    const rateLimits = limitsWith({ refused: { points: 3, seconds: 600 } });
    const limited = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, rateLimits });
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const { dropsite } = await aDropsite(app);
    const sender = senderOf({ url: addressOf(limited.app) }, dropsite.link);
    const body = { uploadId: randomUUID(), payload: [...files(1), ...files(2, { type: 'hologram' })] };
    for (let n = 0; n < 4; n += 1) expect((await sender.create(body)).status).toBe(200);
    await limited.close();
  });
});

describe('the rate of sessions, of new uploads and of notices', () => {
  it('has a separate limit for each', async () => {
    const rateLimits = limitsWith({ dropsite: { points: 3, seconds: 60 } });
    await app.app.get(Database).query('DELETE FROM rate_limits');
    const limited = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, rateLimits });
    const { dropsite } = await aDropsite(app);
    const sender = senderOf({ url: addressOf(limited.app) }, dropsite.link);
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await sender.begin({ code: (await sender.deliver()).body.code }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(refusals(answers.slice(3))).toEqual([[429, 'rate_limited']]);
    const created = [];
    for (let n = 0; n < 4; n += 1) created.push(await sender.create());
    expect(refusals(created)).toEqual([...Array(3).fill([200, undefined]), [429, 'rate_limited']]);
    const notice = { uploadId: created[0]?.body.uploadId, totalSize: 11, items: 1 };
    const told = [];
    for (let n = 0; n < 4; n += 1) told.push(await sender.started(notice));
    expect(refusals(told)).toEqual([...Array(3).fill([202, undefined]), [429, 'rate_limited']]);
    expect((await sender.deliver()).status).toBe(200);
    await limited.close();
  });
});
