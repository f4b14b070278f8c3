import { readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, PROVIDER_ROUTES } from '../../src/modules/oauth/index.js';
import { bearer, request } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { rawRequest } from '../support/raw-request.js';

const SECRETS = /node_modules|\/src\/|\.ts:\d+|at Object\.|SELECT |INSERT |UPDATE |invalid byte sequence|syntax error|pg_/;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the service in hostile surroundings', () => {
  const app = useTestApp();
  let client: Client;
  let token: string;
  beforeAll(async () => {
    client = await aClient(app);
    token = (await obtainTokens(app, { user: await aUser(app), client })).access_token;
  });

  const send = async (path: string, init: Omit<Parameters<typeof rawRequest>[1], 'path'> = {}) => {
    const answer = await rawRequest(app.url, { path, ...init });
    expect({ path, leak: SECRETS.exec(answer.text)?.[0] }).toEqual({ path, leak: undefined });
    return answer;
  };

  /** Every error of an operation is a problem document with all its members. */
  async function expectProblem(answer: Awaited<ReturnType<typeof send>>, status: number, code: string) {
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
      status,
      type: 'application/problem+json; charset=utf-8',
    });
    const document = JSON.parse(answer.text) as Record<string, unknown>;
    expect(document).toEqual({
      type: 'about:blank',
      title: http.STATUS_CODES[status],
      status,
      detail: expect.stringMatching(/^[A-Z].*\.$/),
      code,
      message: document.detail,
      requestId: answer.headers['x-request-id'],
      ...(code === 'validation_failed' ? { errors: expect.any(Array) } : {}),
    });
  }

  describe('the Host header', () => {
    const query = () => new URLSearchParams(request(client)).toString();
    const paths: [string, () => string][] = [
      ['the discovery document', () => '/.well-known/openid-configuration'],
      ['the metadata of the authorization server', () => '/.well-known/oauth-authorization-server'],
      ['the redirect to the login page', () => `/v4/authorize?${query()}`],
      ['an error page', () => '/v4/authorize?client_id=nobody'],
      ['the account page', () => '/account'],
      ['the logout page', () => '/v4/logout'],
      ['a problem document', () => '/v4/apps'],
      ['an unknown path', () => '/nothing'],
      ['the OpenAPI document', () => '/docs/openapi.json'],
      ['the health of the process', () => '/health/live'],
    ];

    it.each(paths)('has no effect on %s', async (_, path) => {
      const evil = {
        host: 'evil.test',
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        'x-forwarded-port': '60606',
        'x-forwarded-prefix': '/evil.test',
        forwarded: 'host=evil.test;proto=https',
        'x-original-url': '/evil.test',
      };
      const answer = await send(path(), { headers: evil });
      expect(answer.status).toBeLessThan(500);
      expect(JSON.stringify(answer.headers) + answer.text).not.toMatch(/evil\.test|:60606/);
      const { location } = answer.headers;
      if (location) expect(new URL(location, app.url).origin).toBe(app.url);
    });

    it('is not needed for the issuer and the endpoints', async () => {
      const { text } = await send('/.well-known/openid-configuration', { headers: { host: 'evil.test' } });
      const metadata = JSON.parse(text) as Record<string, unknown>;
      expect(metadata).toMatchObject({
        issuer: app.url,
        authorization_endpoint: `${app.url}/v4/authorize`,
        token_endpoint: `${app.url}/v4/token`,
        introspection_endpoint: `${app.url}/v4/introspect`,
        revocation_endpoint: `${app.url}/v4/revoke`,
        jwks_uri: `${app.url}/v4/jwks`,
        end_session_endpoint: `${app.url}/v4/logout`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
      });
      const other = await send('/.well-known/oauth-authorization-server');
      expect(JSON.parse(other.text)).toEqual(metadata);
    });
  });

  describe('the host of a request', () => {
    /** The status line of the response to these lines, sent as they are. */
    const statusOf = async (...lines: string[]): Promise<string> => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      try {
        const answer = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));
        socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
        return /^HTTP\/1\.1 (\d+)/.exec(await answer)?.[1] ?? 'none';
      } finally {
        socket.destroy();
      }
    };

    it.each([
      ['two Host lines', 'GET /health/live HTTP/1.1', 'Host: media.example', 'Host: evil.test'],
      ['the same Host line twice', 'GET /health/live HTTP/1.1', 'Host: media.example', 'host: media.example'],
      ['two Host lines of HTTP/1.0', 'GET /health/live HTTP/1.0', 'Host: media.example', 'Host: evil.test'],
      ['two Host lines of a preflight', 'OPTIONS /v4/apps HTTP/1.1', 'Host: media.example', 'Host: evil.test', 'Origin: https://a.example'],
      ['no Host line', 'GET /health/live HTTP/1.1'],
      ['an empty Host', 'GET /health/live HTTP/1.1', 'Host:'],
      ['a list of hosts', 'GET /health/live HTTP/1.1', 'Host: media.example, evil.test'],
      ['a Host with user information', 'GET /health/live HTTP/1.1', 'Host: media.example@evil.test'],
      ['a Host with a path', 'GET /health/live HTTP/1.1', 'Host: media.example/evil.test'],
      ['a target at another host', 'GET http://evil.test/health/live HTTP/1.1', 'Host: media.example'],
      ['a target at another port', 'GET http://media.example:81/health/live HTTP/1.1', 'Host: media.example'],
    ])('is certain: %s is refused', async (_, ...lines) => {
      expect(await statusOf(...lines)).toBe('400');
    });

    it.each([
      ['a name', 'GET /health/live HTTP/1.1', 'Host: media_delivery-1.example'],
      ['a name and a port', 'GET /health/live HTTP/1.1', 'Host: media.example:8443'],
      ['an IPv6 address', 'GET /health/live HTTP/1.1', 'Host: [::1]:3000'],
      ['none, in HTTP/1.0', 'GET /health/live HTTP/1.0'],
    ])('may be %s', async (_, ...lines) => {
      expect(await statusOf(...lines)).toBe('200');
    });
  });

  describe('a malformed request', () => {
    it.each([
      '/v4/apps%00',
      '/v4/apps?limit=%00',
      '/v4/authorize?client_id=%00',
      '/v4/interaction/%00',
      '/%00',
      '/v4/apps/%zz',
      '/v4/%',
      '/%c0%af',
      '/v4/apps/%ff',
      '/%e0%a4%a',
      `/v4/apps?x=${'x'.repeat(100_000)}`,
      `/v4/authorize?client_id=${'x'.repeat(100_000)}`,
      `/${'x'.repeat(100_000)}`,
    ])('is refused: %.40s', async (path) => {
      await expectProblem(await send(path, { headers: bearer(token) }), 400, 'malformed_request');
    });

    it.each([
      '/v4/apps?x=%zz',
      '/v4/apps?a[b]=1&a=2',
      `/v4/apps?a${'[b]'.repeat(500)}=1`,
      '/v4/apps?__proto__[x]=1',
      '/v4/apps?constructor=1',
    ])('is accepted if it has no effect: %.40s', async (path) => {
      expect((await send(path, { headers: bearer(token) })).status).toBe(200);
    });

    it.each(['/v4/authorize?client_id=%zz', '/v4/logout?client_id=%zz', '/v4/authorize?%ff=%ff', '/account?done=%zz', '/v4/logout?%'])(
      'is a page where people look: %.40s',
      async (path) => {
        const { status } = await send(path);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
      },
    );

    it.each(['{"id":', '{"id":1}}', 'x', '{id:1}', '\u{feff}\u{feff}{}'])('is refused with the body %j', async (body) => {
      await expectProblem(
        await send('/v4/deauthorize', { method: 'POST', headers: { ...bearer(token), ...JSON_TYPE }, body }),
        400,
        'malformed_request',
      );
    });

    it.each(['[]', '"text"', '5', 'true'])('is refused with a body that is not an object: %s', async (body) => {
      await expectProblem(
        await send('/v4/deauthorize', { method: 'POST', headers: { ...bearer(token), ...JSON_TYPE }, body }),
        400,
        'validation_failed',
      );
    });

    it('is refused with an unknown charset or encoding', async () => {
      for (const headers of [{ 'content-type': 'application/json; charset=nonsense' }, { ...JSON_TYPE, 'content-encoding': 'nonsense' }]) {
        const answer = await send('/v4/deauthorize', { method: 'POST', headers: { ...bearer(token), ...headers }, body: '{}' });
        await expectProblem(answer, 400, 'malformed_request');
      }
    });

    it('is refused with a body of more than 2 MiB', async () => {
      const body = (bytes: number) => JSON.stringify({ device: 'x'.repeat(bytes - 13) });
      const post = async (bytes: number) =>
        await send('/v4/deauthorize', { method: 'POST', headers: { ...bearer(token), ...JSON_TYPE }, body: body(bytes) });
      await expectProblem(await post(2 * 1024 * 1024 + 1), 413, 'payload_too_large');
      await expectProblem(await post(2 * 1024 * 1024), 400, 'validation_failed');
      await expectProblem(await post(20_000_000), 413, 'payload_too_large');
    });

    it('leaves its connection in order', async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const seen: string[] = [];
      for (const path of ['/v4/introspect', '/v4/token', '/v4/revoke', '/v4/deauthorize']) {
        for (const body of ['x'.repeat(5_000_000), '{']) {
          seen.push(`${path} ${(await send(path, { method: 'POST', headers: JSON_TYPE, body, agent })).status}`);
        }
      }
      agent.destroy();
      expect(seen).toEqual([
        '/v4/introspect 200',
        '/v4/introspect 200',
        '/v4/token 400',
        '/v4/token 400',
        '/v4/revoke 400',
        '/v4/revoke 400',
        '/v4/deauthorize 413',
        '/v4/deauthorize 400',
      ]);
    });
  });

  it('answers an unknown path with a problem document', async () => {
    for (const path of [
      '/nothing',
      '/v4',
      '/v4/',
      '/v5/nothing',
      '/v4/TOKEN',
      '/.well-known/',
      '/.git/config',
      '/..%2f..%2fetc/passwd',
      '//evil.test/',
      '/v4//apps',
    ]) {
      await expectProblem(await send(path, { headers: bearer(token) }), 404, 'not_found');
    }
  });

  it('answers a method that an operation does not have with a problem document', async () => {
    const attempts: [string, string][] = [
      ['GET', '/v4/token'],
      ['GET', '/v4/introspect'],
      ['GET', '/v4/revoke'],
      ['GET', '/v4/deauthorize'],
      ['POST', '/v4/apps'],
      ['POST', '/v4/jwks'],
      ['DELETE', '/.well-known/openid-configuration'],
      ['TRACE', '/v4/apps'],
      ['PROPFIND', '/'],
    ];
    for (const [method, path] of attempts) {
      const answer = await send(path, { method, headers: bearer(token) });
      await expectProblem(answer, 405, 'method_not_allowed');
      expect([path, answer.headers.allow?.split(', ').includes(method)]).toEqual([path, false]);
    }
  });

  describe('every address of the API', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const methods = new Map<string, Set<string>>();
    for (const name of [...documented, ...PROVIDER_ROUTES]) {
      const [method = '', path = ''] = name.split(' ');
      if (!/^\/(v4|v5|\.well-known)\//.test(path)) continue;
      const address = path.replaceAll(/:\w+/g, '1');
      methods.set(address, new Set([...(methods.get(address) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])]));
    }

    it('answers the methods that it does not have with 405 and those that it has', async () => {
      expect(methods.size).toBeGreaterThan(60);
      for (const [path, own] of methods) {
        const { status, headers } = await send(path, { method: 'TRACE' });
        const allowed = new Set(headers.allow?.split(', '));
        expect([path, status, [...own].filter((method) => !allowed.has(method))]).toEqual([path, 405, []]);
        // Another route may have the same path: /v5/format/{id} is also /v5/format/1.
        const wrong = ['PATCH', 'PUT', 'DELETE', 'POST', 'GET', 'HEAD', 'OPTIONS'].filter((method) => !allowed.has(method));
        for (const method of wrong) {
          const answer = await send(path, { method });
          expect([method, path, answer.status, answer.headers.allow]).toEqual([method, path, 405, headers.allow]);
        }
      }
    });

    it('is not taken for an id where a fixed address lies beside ids', async () => {
      for (const [method, path] of [
        ...['GET', 'PUT', 'DELETE'].map((name) => [name, '/v5/mediacontainer/bulk'] as const),
        ['GET', '/v5/subscriptions/dryRun'] as const,
      ]) {
        const { status, headers } = await send(path, { method, headers: bearer(token) });
        expect([method, path, status, headers.allow]).toEqual([method, path, 405, 'POST']);
      }
    });

    it('is the same with a trailing slash', async () => {
      for (const path of methods.keys()) {
        const [plain, slashed] = [await send(path, { method: 'TRACE' }), await send(`${path}/?x=1`, { method: 'TRACE' })];
        expect([path, slashed.status, slashed.headers.allow]).toEqual([path, plain.status, plain.headers.allow]);
      }
      for (const path of ['/v4/jwks', '/.well-known/openid-configuration', '/health/live', '/v4/logout']) {
        const [plain, slashed] = [await send(path), await send(`${path}/`)];
        expect([path, slashed.status, slashed.text.slice(0, 20)]).toEqual([path, 200, plain.text.slice(0, 20)]);
      }
      const answer = await send('/v4/token/', { method: 'POST', headers: JSON_TYPE, body: '{"grant_type":"refresh_token"}' });
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, 'invalid_request']);
      const login = await send(`/v4/authorize/?${new URLSearchParams(request(client))}`);
      expect([login.status, login.headers.location]).toEqual([302, expect.stringContaining('/v4/interaction/')]);
      expect((await send('/metrics/')).status).toBe(200);
    });
  });

  it('answers HEAD like GET, without a body', async () => {
    for (const path of ['/.well-known/openid-configuration', '/v4/jwks', '/v4/apps', '/health/live', '/health/ready']) {
      const head = await send(path, { method: 'HEAD', headers: bearer(token) });
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: 200, text: '' });
    }
  });

  it('answers OPTIONS without preflight headers', async () => {
    for (const path of ['/v4/apps', '/v4/token', '/v4/authorize', '/v4/introspect', '/nothing']) {
      const { status, headers } = await send(path, { method: 'OPTIONS' });
      expect(status).toBe(path === '/nothing' ? 404 : 405);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('takes a sane request id over, and makes one otherwise', async () => {
    const idFor = async (given: string) => (await send('/nothing', { headers: { 'x-request-id': given } })).headers['x-request-id'];
    for (const id of ['abc', 'A.b:c-d_1', 'x'.repeat(128)]) expect(await idFor(id)).toBe(id);
    for (const id of ['x'.repeat(129), 'a b', '<script>', 'é', 'a,b', '']) expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
    expect((await send('/v4/jwks', { headers: { 'x-request-id': 'mine' } })).headers['x-request-id']).toBe('mine');
  });

  it('sends its security headers with every answer', async () => {
    const page = `/v4/authorize?${new URLSearchParams(request(client))}`;
    for (const path of ['/v4/apps', '/nothing', '/v4/jwks', '/v4/authorize', page, '/health/live']) {
      const { headers } = await send(path);
      expect({ path, ...headers }).toMatchObject({
        path,
        'x-content-type-options': 'nosniff',
        'x-frame-options': expect.stringMatching(/^(DENY|SAMEORIGIN)$/),
        'referrer-policy': 'same-origin',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  });
});
