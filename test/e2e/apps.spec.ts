import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Client } from '../../src/modules/oauth/index.js';
import { bearer, call, refresh, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

interface App {
  readonly id: number;
  readonly client_id: string;
  readonly device: string | null;
}

describe('authorized applications', () => {
  const app = useTestApp();
  let one: Client;
  let two: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    one = await aClient(app);
    two = await aClient(app);
  });
  beforeEach(async () => {
    user = await aUser(app);
  });

  const tokenFor = async (client: Client, query: Record<string, string> = {}, own = user) =>
    (await obtainTokens(app, { user: own, client, query })).access_token;

  const list = async (token: string, query = '', headers: Record<string, string> = {}) =>
    await call(`${app.url}/v4/apps${query}`, { headers: { ...bearer(token), ...headers } });

  const deauthorize = async (token: string, json: unknown) =>
    await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers: bearer(token), json });

  const idsOf = (apps: readonly App[]) => apps.map(({ id }) => id);

  it('are listed with every field', async () => {
    const before = Math.floor(Date.now() / 1000);
    const browser = new TestBrowser(app.url, { 'user-agent': 'Mozilla/5.0 (test)' });
    const query = { device: 'phone', env: 'staging', platform: 'ios', version: 'v4', scope: 'openid api' };
    const tokens = await obtainTokens(app, { user, client: two, query, browser });
    const { status, body } = await list(tokens.access_token, '', { 'x-service-device': 'phone' });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: decodeJwt(tokens.access_token).authorization_id,
        client_id: two.clientId,
        name: two.name,
        type: 'web',
        device: 'phone',
        ip: '127.0.0.1',
        userAgent: 'Mozilla/5.0 (test)',
        lastLogin: expect.any(Number),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        env: 'staging',
        platform: 'ios',
        version: 'v4',
        scope: 'openid api',
      },
    ]);
    expect(Number.isInteger(body[0].lastLogin)).toBe(true);
    expect(body[0].lastLogin).toBeGreaterThanOrEqual(before);
    expect(body[0].lastLogin).toBeLessThanOrEqual(before + 60);
    const times = [body[0].createdAt, body[0].updatedAt].map((time) => Math.floor(Date.parse(time) / 1000));
    expect(times.filter((time) => time < before || time > before + 60)).toEqual([]);
  });

  it('are one for each client and device, however often the user signs in', async () => {
    const token = await tokenFor(one);
    await tokenFor(one);
    await tokenFor(one, { device: 'phone' });
    await tokenFor(one, { device: 'phone', env: 'later' });
    await tokenFor(two);
    const { body } = await list(token);
    expect(body.map(({ client_id, device, env }: Record<string, unknown>) => [client_id, device, env])).toEqual([
      [one.clientId, null, null],
      [one.clientId, 'phone', 'later'],
      [two.clientId, null, null],
    ]);
  });

  it('are those of the caller alone', async () => {
    await tokenFor(one, {}, await aUser(app));
    const { body } = await list(await tokenFor(two));
    expect(body.map(({ client_id }: App) => client_id)).toEqual([two.clientId]);
  });

  it('are answered in pages on request', async () => {
    const token = await tokenFor(one);
    for (const device of ['a', 'b', 'c', 'd']) await tokenFor(one, { device });
    const all = idsOf((await list(token)).body);
    expect(all).toHaveLength(5);
    const seen: number[] = [];
    let next: string | null = '/v4/apps?limit=2';
    let pages = 0;
    while (next !== null) {
      const { body, headers }: Awaited<ReturnType<typeof list>> = await call(new URL(next, app.url).href, { headers: bearer(token) });
      seen.push(...idsOf(body));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;
      pages += 1;
    }
    expect({ seen, pages }).toEqual({ seen: all, pages: 3 });
    expect((await list(token)).headers.get('link')).toBeNull();
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?cursor=-1', '?cursor=x', '?limit=1.5']) {
      const answer = await list(token, query);
      expect({ query, status: answer.status, code: answer.body.code }).toEqual({ query, status: 400, code: 'validation_failed' });
      expect(answer.body.errors).toEqual([{ path: expect.any(String), code: expect.any(String), message: expect.any(String) }]);
    }
    expect(await list(token, '?cursor=99999999999')).toMatchObject({ status: 200, body: [] });
    expect((await list(token, '?limit=1000&unknown=1')).status).toBe(200);
  });

  describe('are ended', () => {
    it('by id, at once, with all their tokens', async () => {
      const tokens = await obtainTokens(app, { user, client: one, query: { scope: 'api offline_access' } });
      const other = await tokenFor(two);
      const id = decodeJwt(tokens.access_token).authorization_id;
      const { status, body } = await deauthorize(other, { id });
      expect({ status, ids: idsOf(body.deauthorized) }).toEqual({ status: 200, ids: [id] });
      expect(body.deauthorized[0]).toMatchObject({ client_id: one.clientId, name: one.name, type: one.type, device: null });
      expect(await works(app, tokens.access_token)).toBe(false);
      expect((await refresh(app, one, tokens.refresh_token)).body.error).toBe('invalid_grant');
      expect(await works(app, other)).toBe(true);
      expect(await deauthorize(other, { id })).toMatchObject({ status: 200, body: { deauthorized: [] } });
    });

    it('by client, under either name, and by device; all selectors together', async () => {
      const token = await tokenFor(two);
      for (const device of ['a', 'b', 'c']) await tokenFor(one, { device });
      const count = async (selector: unknown) => (await deauthorize(token, selector)).body.deauthorized.length;
      expect(await count({ client_id: one.clientId, device: 'nothing' })).toBe(0);
      expect(await count({ client_id: two.clientId, device: 'a' })).toBe(0);
      expect(await count({ client_id: one.clientId, device: 'a' })).toBe(1);
      expect(await count({ device: 'b' })).toBe(1);
      expect(await count({ clientId: one.clientId })).toBe(1);
      await tokenFor(one);
      const [{ id }] = (await list(token)).body.filter(({ client_id }: App) => client_id === one.clientId);
      expect(await count({ id, client_id: two.clientId })).toBe(0);
      expect(await count({ id, client_id: one.clientId })).toBe(1);
      expect(await works(app, token)).toBe(true);
    });

    it('by DELETE with the id in the path', async () => {
      const ended = await tokenFor(one);
      const token = await tokenFor(two);
      const id = decodeJwt(ended).authorization_id;
      const remove = async (path: string | number, json?: unknown) =>
        await call(`${app.url}/v4/apps/${path}`, { method: 'DELETE', headers: bearer(token), json });
      expect(await remove(`${id}`, { id: Number(id) + 1 })).toMatchObject({ status: 400, body: { code: 'id_mismatch' } });
      expect(await remove(`${id}`)).toMatchObject({ status: 200, body: { deauthorized: [{ id }] } });
      expect(await works(app, ended)).toBe(false);
      expect(await remove(`${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await remove(99_999_999_999)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await remove('x')).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    });

    it('of the caller alone', async () => {
      const foreign = await tokenFor(one, {}, await aUser(app));
      const id = Number(decodeJwt(foreign).authorization_id);
      const token = await tokenFor(two);
      expect((await deauthorize(token, { id })).body).toEqual({ deauthorized: [] });
      expect((await deauthorize(token, { client_id: one.clientId })).body).toEqual({ deauthorized: [] });
      const remove = await call(`${app.url}/v4/apps/${id}`, { method: 'DELETE', headers: bearer(token) });
      expect(remove).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await works(app, foreign)).toBe(true);
    });

    it('only when something is named', async () => {
      const token = await tokenFor(one);
      for (const json of [{}, { unknown: 1 }, { id: null }, { client_id: null, device: null }]) {
        expect(await deauthorize(token, json)).toMatchObject({ status: 400, body: { code: 'selector_required' } });
      }
      for (const json of [
        { id: 'x' },
        { id: 1.5 },
        { id: -1 },
        { id: 1e300 },
        { id: -1e300 },
        { client_id: 1 },
        { device: ['a'] },
        { device: { a: 1 } },
      ]) {
        expect(await deauthorize(token, json)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      }
      expect(await deauthorize(token, { id: 99_999_999_999 })).toMatchObject({ status: 200, body: { deauthorized: [] } });
      expect((await deauthorize(token, { client_id: one.clientId, clientId: two.clientId })).body.code).toBe('client_id_mismatch');
      expect(await works(app, token)).toBe(true);
    });
  });

  it('permit a read-only token only to read', async () => {
    const token = await tokenFor(one, { scope: 'api:read' });
    expect((await list(token)).status).toBe(200);
    const refused = await deauthorize(token, { client_id: one.clientId });
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect((await call(`${app.url}/v4/apps/1`, { method: 'DELETE', headers: bearer(token) })).body.code).toBe('insufficient_scope');
    const identity = await tokenFor(one, { scope: 'openid' });
    expect(await list(identity)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('are shown to the device that the token is bound to', async () => {
    const token = await tokenFor(one, { device: 'phone' });
    for (const device of [undefined, 'tablet', '', 'PHONE']) {
      const headers: Record<string, string> = device === undefined ? {} : { 'x-service-device': device };
      const answer = await list(token, '', headers);
      expect(answer).toMatchObject({ status: 401, body: { code: 'device_mismatch' } });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
    }
    expect((await list(token, '', { 'x-service-device': 'phone' })).status).toBe(200);
  });

  it('are not shown to others', async () => {
    const nothing = await call(`${app.url}/v4/apps`);
    expect(nothing).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(nothing.headers.get('www-authenticate')).toBe('Bearer');
    for (const authorization of ['Bearer garbage', 'Bearer ', 'Bearer a b', 'Basic YTpi']) {
      expect((await call(`${app.url}/v4/apps`, { headers: { authorization } })).status).toBe(401);
    }
  });

  describe('with the session cookie', () => {
    const origins: [Record<string, string>, number][] = [
      [{}, 403],
      [{ origin: 'null' }, 403],
      [{ origin: 'https://evil.test' }, 403],
      [{ origin: 'http://client.example.evil.test' }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }, 403],
      [{ origin: 'http://client.example' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ origin: 'null', 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
    ];

    it('are listed, and changed by a page of the service only, not by one of another port of its host', async () => {
      const browser = new TestBrowser(app.url);
      await signInTo(app, { user, client: one, browser });
      const cookie = browser.cookieHeader('/v4/apps');
      const mobile = await aClient(app, { name: 'Newsroom', type: 'mobile', redirectUris: ['newsroom:/done'] });
      await signInTo(app, { user, client: mobile, browser, query: { redirect_uri: 'newsroom:/done' } });
      const { body } = await call(`${app.url}/v4/apps`, { headers: { cookie } });
      expect(body.map(({ name, type }: Record<string, unknown>) => ({ name, type }))).toEqual([
        { name: one.name, type: 'web' },
        { name: 'Newsroom', type: 'mobile' },
      ]);
      for (const [headers, status] of origins) {
        const isProgram = !headers['sec-fetch-site'] && (headers.origin ?? 'null') === 'null';
        const read = await call(`${app.url}/v4/apps`, { headers: { cookie, ...headers } });
        expect([headers, read.status]).toEqual([headers, isProgram ? 200 : status]);
      }
      for (const [headers, status] of [...origins, [{ origin: app.url }, 200] as [Record<string, string>, number]]) {
        const json = { client_id: 'nothing' };
        const post = await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers: { cookie, ...headers }, json });
        expect({ headers, status: post.status }).toEqual({ headers, status });
        if (status === 403) expect(post.body.code).toBe('origin_not_allowed');
        const remove = await call(`${app.url}/v4/apps/1999`, { method: 'DELETE', headers: { cookie, ...headers } });
        expect(remove.status).toBe(status === 200 ? 404 : 403);
      }
      expect((await call(`${app.url}/v4/apps`, { headers: { cookie: cookie.replace(/session=./, 'session=x') } })).status).toBe(401);
      expect((await call(`${app.url}/v4/apps`, { headers: { cookie: 'session=x; session.sig=y' } })).status).toBe(401);
    });
  });
});
