import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bearer, request } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { rawRequest } from '../support/raw-request.js';

const RUNS = { numRuns: 150 };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const NAMES = [
  ...[
    'client_id',
    'clientId',
    'client_secret',
    'response_type',
    'response_mode',
    'redirect_uri',
    'scope',
    'state',
    'nonce',
    'prompt',
    'max_age',
  ],
  ...['code_challenge', 'code_challenge_method', 'code_verifier', 'resource', 'r', 'u', 'device', 'env', 'platform', 'version', 'offline'],
  ...[
    'legacy_resource',
    'grant_type',
    'code',
    'refresh_token',
    'token',
    'token_type_hint',
    'id',
    'limit',
    'cursor',
    'id_token_hint',
    'claims',
  ],
];
const VALUES = [
  'code',
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'openid',
  'api',
  'none',
  'login',
  'S256',
  '0',
  '-1',
  '1e400',
  '[]',
  '',
];

const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('__proto__', 'constructor', 'a[b]', 'a[]'),
);
const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme' }),
  fc.webUrl(),
);
const parameters = fc.array(fc.tuple(name, value), { maxLength: 8 });
const body = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(value, fc.jsonValue({ maxDepth: 3 })), { maxKeys: 6 });

/** Whatever is sent, the answer is one of ours: never a crash, a stack or the words of a database. */
describe('anything at all', () => {
  let app: TestApp;
  let clientId: string;
  let token: string;
  beforeAll(async () => {
    app = await startTestApp();
    const client = await aClient(app);
    clientId = client.clientId;
    token = (await obtainTokens(app, { user: await aUser(app), client })).access_token;
  });
  afterAll(async () => await app.close());

  async function send(path: string, init: Omit<Parameters<typeof rawRequest>[1], 'path'> = {}) {
    const answer = await rawRequest(app.url, { path, ...init });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d+|invalid byte sequence|syntax error|out of range/);
    return answer;
  }

  it('in the query of authorize is answered', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, fc.boolean(), async (given, wellFormed) => {
        const base = wellFormed ? Object.entries(request({ clientId })).filter(([known]) => !given.some(([other]) => other === known)) : [];
        const { status, headers } = await send(`/v4/authorize?${new URLSearchParams([...base, ...given])}`);
        expect([302, 400]).toContain(status);
        const target = headers.location && new URL(headers.location, app.url);
        if (target) expect([app.url, 'http://client.example']).toContain(target.origin);
      }),
      RUNS,
    );
  });

  it('as a path is answered', async () => {
    const path = fc.array(
      fc.oneof(fc.constantFrom('v4', 'apps', 'authorize', 'interaction', 'token', '..', '.', '%2e', ''), fc.webSegment()),
      {
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom('GET', 'POST', 'DELETE'), async (segments, method) => {
        await send(`/${segments.join('/')}`, { method, headers: bearer(token) });
      }),
      RUNS,
    );
  });

  it.each(['/v4/token', '/v4/revoke'])('as a form for %s is answered in the shape of RFC 6749', async (path) => {
    await fc.assert(
      fc.asyncProperty(parameters, async (given) => {
        const { status, text } = await send(path, {
          method: 'POST',
          headers: FORM,
          body: `${new URLSearchParams([['client_id', clientId], ...given])}`,
        });
        if (status !== 200) expect(JSON.parse(text)).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) });
      }),
      RUNS,
    );
  });

  it.each(['/v4/token', '/v4/revoke'])('as JSON for %s is answered in the shape of RFC 6749', async (path) => {
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const { status, text } = await send(path, {
          method: 'POST',
          headers: JSON_TYPE,
          body: JSON.stringify({ client_id: clientId, ...given }),
        });
        if (status !== 200) expect(JSON.parse(text)).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) });
      }),
      RUNS,
    );
  });

  it('for introspection is inactive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue(), fc.string({ unit: 'binary' })), async (given) => {
        const text = typeof given === 'string' ? given : JSON.stringify(given);
        const answer = await send('/v4/introspect', { method: 'POST', headers: JSON_TYPE, body: text });
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '{"active":false}' });
      }),
      RUNS,
    );
  });

  it.each(['/v4/deauthorize', '/v4/requestCode'])('as JSON for %s is answered', async (path) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (given) => {
        const { client_id: _, clientId: __, ...others } = (given ?? {}) as Record<string, unknown>; // it would end the token that asks
        const sent = typeof given === 'object' && !Array.isArray(given) ? { ...others, client_id: 'nobody' } : given;
        const { status, text } = await send(path, {
          method: 'POST',
          headers: { ...bearer(token), ...JSON_TYPE },
          body: JSON.stringify(sent),
        });
        if (status !== 200) expect(JSON.parse(text)).toMatchObject({ code: expect.any(String), requestId: expect.any(String) });
      }),
      RUNS,
    );
  });

  it('in the query of a list is answered', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async (given) => {
        const { status } = await send(`/v4/apps?${new URLSearchParams(given)}`, { headers: bearer(token) });
        expect([200, 400]).toContain(status);
      }),
      RUNS,
    );
  });

  it('in the login form is refused', async () => {
    const browser = new TestBrowser(app.url);
    const { response } = await browser.follow(`/v4/authorize?${new URLSearchParams(request({ clientId }))}`);
    const html = await response.text();
    const action = /action="([^"]+\/login)"/.exec(html)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const headers = { ...FORM, cookie: browser.cookieHeader(action), origin: app.url };
    await fc.assert(
      fc.asyncProperty(value, value, parameters, async (email, password, more) => {
        const form = new URLSearchParams([['csrf', csrf], ['email', email], ['password', password], ...more]);
        const { status } = await send(action, { method: 'POST', headers, body: form.toString() });
        expect([400, 401, 403, 429]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });

  it('in headers is answered', async () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 60 });
    const known = fc.constantFrom(
      'authorization',
      'cookie',
      'origin',
      'x-service-device',
      'x-request-id',
      'accept',
      'content-type',
      'if-match',
      'range',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(known, text),
        fc.constantFrom('/v4/apps', '/account', '/v4/authorize', '/v4/logout'),
        async (headers, path) => {
          await send(path, { headers });
        },
      ),
      RUNS,
    );
  });
});
