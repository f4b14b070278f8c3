import { describe, expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { TrustedOriginsService } from '../auth/index.js';
import { loadConfig } from '../config/index.js';
import { DomainError } from '../errors.js';
import { cors } from './cors.js';

const OWN = 'https://media.example.org';
const CONFIGURED = 'https://app.example.org';
const REGISTERED = 'https://client.example.org';

function trusted(): TrustedOriginsService {
  const clients = { exists: async () => false, isRegisteredOrigin: async (origin: string) => origin === REGISTERED };
  const origins = new TrustedOriginsService(loadConfig({ PUBLIC_URL: OWN, CORS_ORIGINS: CONFIGURED }), clients);
  return origins;
}

/** What a request gets, and whether it went on. */
async function ask(method: string, headers: Record<string, string>, url = '/v5/format') {
  const request = aRequest({ method, url, headers });
  const response = aResponse(request);
  const wentOn = await new Promise<boolean>((resolve) => {
    response.once('finish', () => resolve(false));
    cors(trusted(), ['x-service', 'x-vendor'])(request, response, () => resolve(true));
  });
  return { wentOn, status: response.statusCode, headers: response.getHeaders() };
}

describe('a request of a page of another origin', () => {
  it.each([OWN, CONFIGURED, REGISTERED])('may be read by a page of %s, with credentials', async (origin) => {
    const { wentOn, headers } = await ask('GET', { origin });
    expect(wentOn).toBe(true);
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' });
  });

  it.each(['https://evil.example', 'null', 'http://app.example.org', 'https://app.example.org.evil.example', '*'])(
    'goes on and may not be read by a page of %s',
    async (origin) => {
      const { wentOn, headers } = await ask('GET', { origin });
      expect(wentOn).toBe(true);
      expect(Object.keys(headers)).toEqual(['vary']);
    },
  );

  it.each([
    '/v4/authorize?x=/v5/',
    '/v4/interaction/x',
    '/account',
    '/docs',
    '/dev/mail',
    '/d/x',
    '/l/x/1',
    '/console',
    '/',
    '/v5',
    '/metrics',
  ])('may not be read if it is for a page that people see, or unknown: %s', async (url) => {
    for (const origin of [OWN, CONFIGURED, REGISTERED]) {
      const preflight = { origin, 'access-control-request-method': 'GET' };
      expect(Object.keys((await ask('GET', { origin }, url)).headers)).toEqual(['vary']);
      expect(Object.keys((await ask('OPTIONS', preflight, url)).headers)).toEqual(['vary']);
    }
  });

  it.each(['/v5/deliverEmbed/x', '/v5/deliverEmbed/x/media/1.m3u8', '/v5/deliverFile/x?formatId=1', '/fixedPreviewImages/pdf.png'])(
    'may be read by any page without cookies if it delivers media: %s',
    async (url) => {
      for (const origin of [REGISTERED, 'https://evil.example', 'null']) {
        const { headers } = await ask('GET', { origin }, url);
        expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
    },
  );

  it('may be read at Request Code with cookies only if it is a POST, which is also what the preflight asks about', async () => {
    const read = async (method: string, headers: Record<string, string> = {}) =>
      (await ask(method, { origin: REGISTERED, ...headers }, '/v4/requestCode?client_id=x')).headers;
    const withCookies = { 'access-control-allow-origin': REGISTERED, 'access-control-allow-credentials': 'true' };
    expect(await read('POST')).toMatchObject(withCookies);
    expect(await read('OPTIONS', { 'access-control-request-method': 'POST' })).toMatchObject(withCookies);
    const byGet = [await read('GET'), await read('HEAD'), await read('OPTIONS', { 'access-control-request-method': 'GET' })];
    for (const headers of byGet) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': REGISTERED });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('is announced by a preflight, which names our headers under every prefix', async () => {
    const preflight = { origin: REGISTERED, 'access-control-request-method': 'PUT' };
    const { wentOn, status, headers } = await ask('OPTIONS', preflight);
    expect([wentOn, status]).toEqual([false, 204]);
    expect(headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE');
    const allowed = String(headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'clientid', 'x-service-device', 'x-vendor-device']));
  });

  it('is refused in the preflight for unknown origins', async () => {
    const { wentOn, status, headers } = await ask('OPTIONS', { origin: 'https://evil.example', 'access-control-request-method': 'PUT' });
    expect([wentOn, status, Object.keys(headers)]).toEqual([false, 204, ['vary']]);
  });

  it('varies by Origin for caches', async () => {
    const { wentOn, headers } = await ask('GET', {});
    expect([wentOn, headers]).toEqual([true, expect.objectContaining({ vary: 'Origin' })]);
  });
});

describe('a change with the session cookie', () => {
  const check = async (headers: Record<string, string>) =>
    await trusted()
      .check(aRequest({ method: 'POST', headers }))
      .then(
        () => 'allowed',
        (error: unknown) => (error instanceof DomainError ? error.code : error),
      );

  it.each([{ origin: OWN }, { origin: CONFIGURED }, { origin: OWN, 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-origin' }])(
    'is allowed from %j',
    async (headers) => {
      expect(await check(headers as Record<string, string>)).toBe('allowed');
    },
  );

  it.each([
    {},
    { origin: REGISTERED },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ])('is refused from %j', async (headers) => {
    expect(await check(headers as Record<string, string>)).toBe('origin_not_allowed');
  });
});
