import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { authorize, bearer, call, introspect, request } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { rawRequest } from '../support/raw-request.js';

const LIMIT = 30;
const EXTRA = 20;

describe('rate limits', () => {
  let one: TestApp;
  let two: TestApp;
  let second: string;
  let token: string; // of a caller who has proven who it is
  beforeAll(async () => {
    const limit = { points: LIMIT, seconds: 60 };
    const rateLimits = {
      address: { points: 10_000, seconds: 60 },
      login: { points: 10, seconds: 60 },
      saml: limit,
      token: limit,
      dropsite: limit,
      items: limit,
      refused: limit,
      delivery: limit,
      segments: limit,
      polling: limit,
      api: limit,
    };
    one = await startTestApp({ rateLimits });
    two = await startTestApp({ rateLimits, database: one.database, publicUrl: one.url });
    second = addressOf(two.app);
    token = (await obtainTokens(one, { user: await aUser(one), client: await aClient(one) })).access_token;
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  const overBoth = async <T>(send: (origin: string) => Promise<T>): Promise<T[]> =>
    await Promise.all(Array.from({ length: LIMIT + EXTRA }, (_, at) => send(at % 2 ? one.url : second)));

  it('permit exactly the configured number of token requests across all processes', async () => {
    const { clientId } = await aClient(one);
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId };
    const answers = await overBoth(async (origin) => await call(`${origin}/v4/token`, { method: 'POST', body: new URLSearchParams(form) }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(EXTRA);
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('ratelimit')).toMatch(/^"token";r=0;t=\d+$/);
      expect(headers.get('ratelimit-policy')).toBe(`"token";q=${LIMIT};w=60`);
      expect(body).toEqual({
        error: 'rate_limited',
        error_description: expect.stringMatching(/^Too many requests\. Try again in \d+ seconds\.$/),
      });
    }
    const passed = answers.filter(({ status }) => status !== 429);
    expect(passed.every(({ status }) => status === 400)).toBe(true);
    const remaining = passed.map(({ headers }) => Number(headers.get('ratelimit-remaining')));
    expect(remaining.sort((left, right) => left - right)).toEqual(Array.from({ length: LIMIT }, (_, at) => at));
  });

  it('are those of deliveries for viewers', async () => {
    for (const path of [`v5/deliverEmbed/${randomUUID()}`, `v5/deliverFile/${randomUUID()}`, 'v5/oembed', `l/${randomUUID()}`]) {
      expect((await fetch(`${one.url}/${path}`)).headers.get('ratelimit-policy')).toBe(`"delivery";q=${LIMIT};w=60`);
    }
  });

  it('count each client separately', async () => {
    const { clientId } = await aClient(one);
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId });
    const { status, headers } = await call(`${one.url}/v4/token`, { method: 'POST', body: form });
    expect({ status, remaining: headers.get('ratelimit-remaining') }).toEqual({ status: 400, remaining: String(LIMIT - 1) });
  });

  it('permit exactly the configured number of operations, and return a problem document', async () => {
    const { access_token } = await obtainTokens(one, { user: await aUser(one), client: await aClient(one) });
    const answers = await overBoth(async (origin) => await call(`${origin}/v4/apps`, { headers: bearer(access_token) }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(EXTRA);
    expect(refused[0]?.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused[0]?.body).toMatchObject({ status: 429, title: 'Too Many Requests', code: 'rate_limited' });
    expect(refused[0]?.body).not.toHaveProperty('retryAfter');
    const other = await call(`${one.url}/v4/deauthorize`, { method: 'POST', headers: bearer(access_token), json: { id: 1 } });
    expect(other.status).toBe(200);
  });

  it('do not believe an address that the client claims', async () => {
    const { clientId } = await aClient(one);
    const send = async (at: number) => {
      const headers = { 'x-forwarded-for': `10.0.0.${at}`, 'content-type': 'application/x-www-form-urlencoded' };
      const body = `grant_type=refresh_token&refresh_token=x&client_id=${clientId}`;
      return (await rawRequest(one.url, { method: 'POST', path: '/v4/token', headers, body })).status;
    };
    const statuses = await Promise.all(Array.from({ length: LIMIT + 5 }, (_, at) => send(at)));
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it('show a page where people sign in', async () => {
    const client = await aClient(one);
    const user = await aUser(one);
    const browser = new TestBrowser(one.url);
    const { response } = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client))}`);
    const html = await response.text();
    await one.app.get(Database).query('DELETE FROM rate_limits'); // sign-ins of other tests came from this address too
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let tries = 0; tries < 12; tries += 1) {
      last = (await browser.submit(html, '/login', { email: `${tries}${user.email}`, password: 'wrong' })).response;
      statuses.push(last.status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect(last?.headers.get('content-type')).toMatch(/^text\/html/);
    expect(last?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('count authorization requests, and end on a page', async () => {
    const client = await aClient(one);
    const answers = await Promise.all(Array.from({ length: LIMIT + EXTRA }, () => authorize(one, request(client, { prompt: 'none' }))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(EXTRA);
    expect(refused[0]?.headers.get('content-type')).toMatch(/^text\/html/);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused[0]?.text).toContain('rate_limited');
    const url = `${one.url}/v4/authorize?${new URLSearchParams(request(client))}`;
    const { status, headers, body } = await call(url, { headers: { accept: 'application/json' } });
    expect({ status, body }).toEqual({ status: 429, body: { error: 'rate_limited', error_description: expect.any(String) } });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('count revocations apart from token requests', async () => {
    const { clientId } = await aClient(one);
    const form = new URLSearchParams({ token: 'x', client_id: clientId });
    const answers = await overBoth(async (origin) => await call(`${origin}/v4/revoke`, { method: 'POST', body: form }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(EXTRA);
    expect(refused[0]?.body).toMatchObject({ error: 'rate_limited' });
    const token = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId });
    expect((await call(`${one.url}/v4/token`, { method: 'POST', body: token })).status).toBe(400);
  });

  it.each(['token', 'revoke', 'authorize'])('count unknown clients as one: /v4/%s', async (operation) => {
    const answers = await overBoth(async (origin) => {
      const form = new URLSearchParams({ client_id: randomUUID(), token: 'x', response_type: 'code' });
      if (operation === 'authorize') return await fetch(`${origin}/v4/authorize?${form}`);
      return await fetch(`${origin}/v4/${operation}`, { method: 'POST', body: form });
    });
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(EXTRA);
  });

  /** A GET by the access key, which names another client every time. */
  const signed = async (origin: string, { accessKey, accessSecret }: { accessKey: string; accessSecret: string }) => {
    const ts = Math.floor(Date.now() / 1_000);
    const { hash } = acSignature.sign5({ path: '/v4/apps', payload: {}, ts, accessKey, accessSecret });
    const headers = { 'x-service-accesskey': accessKey, 'x-service-rts': String(ts), 'x-service-hash': hash, 'x-service-version': '5' };
    return await call(`${origin}/v4/apps`, { headers: { ...headers, clientid: randomUUID() } });
  };

  it('count signed requests for their access key, regardless of the client', async () => {
    const keyOf = (accessKey: string) => ({ accessKey, accessSecret: 'secret of a signer' });
    for (const name of ['signer', 'other-signer'])
      await one.app.get(AccessKeysService).declare({ ...keyOf(name), userId: (await aUser(one)).id });
    const answers = await overBoth(async (origin) => await signed(origin, keyOf('signer')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(EXTRA);
    expect((await signed(one.url, keyOf('other-signer'))).status).toBe(200);
  });

  it('count failed authentication per address across all methods and routes, and not authenticated callers', async () => {
    let turn = 0;
    const answers = await overBoth(async (origin) => {
      turn += 1;
      if (turn % 3 === 0) return await call(`${origin}/v4/apps`, { headers: bearer(randomUUID()) });
      if (turn % 3 === 1) return await signed(origin, { accessKey: randomUUID(), accessSecret: 'guessed' });
      return await call(`${origin}/v5/format`, { method: 'POST', json: {} });
    });
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(EXTRA);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused[0]?.body).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await call(`${one.url}/v5/format`, { headers: bearer(token) })).status).toBe(200);
  });

  it('leave introspection and probes alone', async () => {
    const { clientId } = await aClient(one);
    const introspections = await overBoth(async (origin) => await introspect({ url: origin }, { token: 'x', client_id: clientId }));
    expect(introspections.every(({ status, headers }) => status === 200 && !headers.has('ratelimit'))).toBe(true);
    const probes = await overBoth(async (origin) => (await fetch(`${origin}/health/live`)).status);
    expect(new Set(probes)).toEqual(new Set([200]));
  });
});
