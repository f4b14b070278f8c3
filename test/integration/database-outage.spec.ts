import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

describe('while the database is away', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
    app = await startTestApp({ database: { ...database, url: proxy.url } });
    token = (await obtainTokens(app, { user: await aUser(app), client: await aClient(app) })).access_token;
  });
  afterAll(async () => {
    await app.close();
    await proxy.close();
    await database.drop();
  });

  const get = async (path: string) => {
    const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as { code?: string; status?: string } };
  };

  it('the service reports it, continues, and recovers automatically', async () => {
    expect([(await get('/v4/apps')).status, (await get('/health/ready')).status]).toEqual([200, 200]);

    proxy.cutOff(true);
    await eventually(async () => (await get('/health/ready')).status === 503);
    expect((await get('/health/ready')).body).toEqual({
      status: 'down',
      details: { version: expect.any(String), database: 'down', notifications: expect.any(String) },
    });
    const { status, headers, body } = await get('/v4/apps');
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5']);
    expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|terminated|postgres/i);
    expect(await get('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
    // Many at once break no more than one.
    const many = await Promise.all(Array.from({ length: 30 }, async () => await get('/v4/apps')));
    expect(new Set(many.map((answer) => answer.status))).toEqual(new Set([503]));

    proxy.cutOff(false);
    await eventually(async () => (await get('/v4/apps')).status === 200);
    await eventually(async () => JSON.stringify((await get('/health/ready')).body).match(/down/) === null);
    expect((await get('/health/ready')).body).toMatchObject({ status: 'ok', details: { database: 'ok', notifications: 'ok' } });
  });

  it('that never answers, requests fail within 10 seconds, at once while the outage is known, and succeed within 30 seconds of its return', async () => {
    const timed = async (path: string) => {
      const startedAt = performance.now();
      const { status, headers, body } = await get(path);
      return { answer: [status, body.code, headers.get('retry-after')], seconds: (performance.now() - startedAt) / 1_000 };
    };
    const unavailable = [503, 'service_unavailable', '5'];
    proxy.mute(true);
    const first = await Promise.all(Array.from({ length: 30 }, async () => await timed('/v4/apps')));
    expect(new Set(first.map(({ answer }) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(unavailable)]));
    expect(Math.max(...first.map(({ seconds }) => seconds))).toBeLessThan(10);
    const later = await timed('/v4/apps');
    expect(later.answer).toEqual(unavailable);
    expect(later.seconds).toBeLessThan(1);
    expect((await get('/health/ready')).body).toMatchObject({ status: 'down', details: { database: 'down' } });

    proxy.mute(false);
    const returnedAt = performance.now();
    await eventually(async () => (await get('/v4/apps')).status === 200);
    expect(performance.now() - returnedAt).toBeLessThan(30_000);
  });

  it('running requests fail, and their connections are not reused', async () => {
    for (let round = 0; round < 3; round += 1) {
      const answers = Promise.all(Array.from({ length: 30 }, async () => await get('/v4/apps')));
      proxy.cutOff(true);
      proxy.cutOff(false);
      for (const { status } of await answers) expect([200, 503]).toContain(status);
      await eventually(async () => (await get('/v4/apps')).status === 200);
    }
  });
});
