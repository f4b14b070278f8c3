import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { introspect } from '../support/accounts/oauth.js';
import { aClient } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { rawRequest } from '../support/raw-request.js';

const REGISTERED = 'http://client.example';
const CONFIGURED = 'https://tools.example';
const PATHS: [string, string][] = [
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/v4/jwks'],
  ['GET', '/v4/apps'],
  ['POST', '/v4/token'],
  ['POST', '/v4/introspect'],
  ['POST', '/v4/revoke'],
  ['POST', '/v4/deauthorize'],
  ['POST', '/v4/requestCode'],
  ['GET', '/v5/format'],
];
/** Pages that people see, and what does not exist. */
const CLOSED: [string, string][] = [
  ...['/v4/authorize', '/v4/authorize/x', '/v4/interaction/x', '/v4/interaction/x/window', '/v4/logout', '/v4/logout/success'].map(get),
  ...['/v4/saml/x/metadata', '/account', '/docs', '/docs/', '/dev/mail', '/dev/mail/1/html', '/d/x', '/l/x', '/l/x/1', '/console'].map(get),
  ...['/', '/nothing', '/health/ready', '/metrics', '/v4', '/v5', '/v4/authorize?/v5/x', '/V4/../account', '/v4/apps/1/2'].map(get),
  ...['/v4/interaction/x/login', '/v4/interaction/x/consent', '/v4/interaction/x/window/allow', '/v4/logout', '/v4/logout/confirm'].map(
    post,
  ),
  ...['/v4/saml/x/acs', '/account/deauthorize', '/account/end-session', '/v4/authorize'].map(post),
];

function get(path: string): [string, string] {
  return ['GET', path];
}

function post(path: string): [string, string] {
  return ['POST', path];
}

describe('pages of other origins', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ corsOrigins: [CONFIGURED, 'capacitor://localhost'] });
    await aClient(app, { redirectUris: [`${REGISTERED}/callback`, 'http://127.0.0.1:4711/callback'] });
    await aClient(app, { type: 'mobile', redirectUris: ['newsroom:/done', 'ionic://localhost/done'] });
  });
  afterAll(async () => await app.close());

  const corsOf = (headers: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

  it.each(PATHS)('of a registered client may read %s %s, with credentials', async (method, path) => {
    for (const origin of [REGISTERED, CONFIGURED, app.url, 'http://127.0.0.1:4711', 'capacitor://localhost', 'ionic://localhost']) {
      const { headers } = await rawRequest(app.url, { method, path, headers: { origin } });
      expect(corsOf(headers)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
      });
      expect(headers.vary).toMatch(/origin/i);
    }
  });

  it.each(PATHS)('of unknown origins may not read %s %s', async (method, path) => {
    const strangers = [
      'https://evil.test',
      'null',
      'https://client.example',
      'http://client.example:8080',
      `${REGISTERED}.evil.test`,
      ...['newsroom://', 'newsroom:', 'ionic://', 'ionic://localhost:1', 'ionic://other', 'capacitor://localhost.evil.test'],
      '*',
    ];
    for (const origin of strangers) {
      const { headers } = await rawRequest(app.url, { method, path, headers: { origin } });
      expect({ origin, cors: corsOf(headers) }).toEqual({ origin, cors: {} });
      expect(headers.vary).toMatch(/origin/i);
    }
    const { headers } = await rawRequest(app.url, { method, path });
    expect(corsOf(headers)).toEqual({});
  });

  it.each(CLOSED)('may not read %s %s, whatever the origin', async (method, path) => {
    for (const origin of [REGISTERED, CONFIGURED, app.url, 'ionic://localhost', 'https://evil.test', 'null']) {
      const preflight = { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' };
      const answers = [
        await rawRequest(app.url, { method, path, headers: { origin } }),
        await rawRequest(app.url, { method: 'OPTIONS', path, headers: preflight }),
      ];
      for (const { headers } of answers) {
        expect({ origin, cors: corsOf(headers) }).toEqual({ origin, cors: {} });
        expect(headers.vary).toMatch(/origin/i);
      }
    }
  });

  it.each(['/v5/deliverEmbed/x', '/v5/deliverEmbed/x/player', '/v5/deliverFile/x', '/fixedPreviewImages/pdf.png'])(
    'may read %s without cookies, whatever the origin',
    async (path) => {
      for (const origin of [REGISTERED, CONFIGURED, app.url, 'https://evil.test', 'null']) {
        const { headers } = await rawRequest(app.url, { path, headers: { origin } });
        expect(corsOf(headers)).toEqual({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': expect.stringContaining('Content-Range'),
        });
      }
    },
  );

  it('of a client may read a code that a token requests by GET, and none that the cookie requests', async () => {
    const path = '/v4/requestCode?client_id=x&state=y';
    const { headers } = await rawRequest(app.url, { path, headers: { origin: REGISTERED } });
    expect(headers).toMatchObject({ 'access-control-allow-origin': REGISTERED });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each(PATHS)('may ask before they send %s %s', async (method, path) => {
    const ask = async (origin: string) =>
      await rawRequest(app.url, {
        method: 'OPTIONS',
        path,
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization,x-service-device' },
      });
    const allowed = await ask(REGISTERED);
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': REGISTERED,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': expect.stringContaining(method),
      'access-control-max-age': expect.any(String),
    });
    const headers = (allowed.headers['access-control-allow-headers'] ?? '').split(', ');
    const own = ['device', 'clientid', 'accesskey', 'rts', 'hash', 'version', 'identifier', 'authmeta'].map((name) => `x-service-${name}`);
    for (const name of [
      'authorization',
      'content-type',
      'clientid',
      'if-match',
      'if-none-match',
      'idempotency-key',
      'x-request-id',
      ...own,
    ]) {
      expect(headers).toContain(name);
    }
    expect(corsOf((await ask('https://evil.test')).headers)).toEqual({});
  });

  it('may send our headers under every configured prefix', async () => {
    const vendor = await startTestApp({ headerPrefixes: ['x-service', 'x-vendor'] });
    await aClient(vendor);
    const preflight = { origin: REGISTERED, 'access-control-request-method': 'GET' };
    const { headers } = await rawRequest(vendor.url, { method: 'OPTIONS', path: '/v4/apps', headers: preflight });
    await vendor.close();
    expect(headers['access-control-allow-headers']).toContain('x-vendor-device');
  });

  it('are known from the moment that their client is registered', async () => {
    const origin = 'https://new.example';
    const read = async () => corsOf((await rawRequest(app.url, { path: '/v4/apps', headers: { origin } })).headers);
    expect(await read()).toEqual({});
    const { clientId } = await aClient(app, { redirectUris: [`${origin}/callback`] });
    expect(await read()).toMatchObject({ 'access-control-allow-origin': origin });
    await aClient(app, { clientId, redirectUris: ['https://moved.example/callback'] });
    expect(await read()).toEqual({});
  });

  it('get no tokens by a form that they send blindly', async () => {
    const evil = { origin: 'https://evil.test' };
    const body = 'grant_type=authorization_code&client_id=x&code=y';
    const headers = { ...evil, 'content-type': 'application/x-www-form-urlencoded' };
    const { status, headers: answered } = await rawRequest(app.url, { method: 'POST', path: '/v4/token', headers, body });
    expect(status).toBe(401);
    expect(corsOf(answered)).toEqual({});
    expect((await introspect(app, { token: 'x' }, evil)).body).toEqual({ active: false });
  });

  it('find Secure cookies when the service is behind https', async () => {
    const secure = await startTestApp({ publicUrl: 'https://media.example.org' });
    const address = `http://127.0.0.1:${secure.config.port}`;
    const client = await aClient(secure);
    const query = new URLSearchParams({ client_id: client.clientId, response_type: 'code' });
    const { headers } = await rawRequest(address, { path: `/v4/authorize?${query}` });
    await secure.close();
    expect(new URL(headers.location ?? '', 'https://media.example.org').href).toMatch(/^https:\/\/media\.example\.org\/v4\/interaction\//);
    expect(headers['strict-transport-security']).toBeTruthy();
    for (const line of headers['set-cookie'] ?? []) expect(line).toMatch(/; secure/i);
    expect(headers['set-cookie']?.length).toBeGreaterThan(0);
  });
});
