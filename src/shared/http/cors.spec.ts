import { describe, expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../test/support/exchange.js';
import { ClientDirectory, TrustedOriginsService } from '../auth/index.js';
import { loadConfig } from '../config/index.js';
import { DomainError } from '../errors.js';
import { cors } from './cors.js';

const OWN = 'https://media.example.org';
const CONFIGURED = 'https://app.example.org';
const REGISTERED = 'https://client.example.org';

function trusted(): TrustedOriginsService {
  const clients = new ClientDirectory();
  clients.register({ exists: async () => false, isRegisteredOrigin: async (origin) => origin === REGISTERED });
  const origins = new TrustedOriginsService(loadConfig({ PUBLIC_URL: OWN, CORS_ORIGINS: CONFIGURED }), clients);
  return origins;
}

/** What a request gets, and whether it went on. */
async function ask(method: string, headers: Record<string, string>) {
  const request = aRequest({ method, headers });
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
