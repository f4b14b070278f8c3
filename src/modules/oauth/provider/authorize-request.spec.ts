import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '../../../shared/errors.js';
import { deviceHeader, isAudience, translateAuthorizeQuery } from './authorize-request.js';

const RESOURCES = ['urn:example:archive', 'https://archive.example.org'];

const translate = (query: string | [string, string][] | URLSearchParams, device?: string) =>
  translateAuthorizeQuery(new URLSearchParams(query), { deviceHeader: device, resources: RESOURCES });

const object = (query: string, device?: string) => Object.fromEntries(translate(query, device));

/** The code with which a query is refused. */
function refusalOf(query: string): string | undefined {
  try {
    translate(query);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

describe('an authorization request', () => {
  it('may name the client as older clients do', () => {
    expect(object('clientId=newsroom&response_type=code')).toMatchObject({ client_id: 'newsroom' });
    expect(object('clientId=newsroom&client_id=newsroom&response_type=code')).toMatchObject({ client_id: 'newsroom' });
    expect(object('clientId=newsroom&client_id=&response_type=code')).toMatchObject({ client_id: 'newsroom' });
    expect(refusalOf('clientId=newsroom&client_id=other')).toBe('client_id_mismatch');
  });

  it('is refused with two redirect URIs, because the error has no single target', () => {
    expect(refusalOf('redirect_uri=https://a.example/&redirect_uri=https://b.example/')).toBe('redirect_uri_not_registered');
  });

  it('asks for everything that the user may do when it names no scope', () => {
    expect(object('')).toEqual({ scope: 'api' });
    expect(object('scope=')).toEqual({ scope: 'api' });
    expect(object('scope=++')).toEqual({ scope: 'api' });
    expect(object('scope=offline_access')).toEqual({ scope: 'api', offline: '1' });
    expect(object('scope=openid+offline_access++api')).toEqual({ scope: 'openid api', offline: '1' });
  });

  it('names one resource: `resource` before `r` before `u`', () => {
    const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'].map(encodeURIComponent);
    expect(translate(`resource=${a}&r=${b}&u=${c}`).getAll('resource')).toEqual(['https://a.example']);
    expect(translate(`r=${b}&u=${c}`).getAll('resource')).toEqual(['https://b.example']);
    expect(translate(`u=${c}`).getAll('resource')).toEqual(['https://c.example']);
    expect(translate(`resource=${a}&resource=${b}`).getAll('resource')).toEqual(['https://a.example', 'https://b.example']);
  });

  it('separates a resource of the legacy form, which has no effect', () => {
    expect(object('resource=MEDIA:42')).toEqual({ scope: 'api', legacy_resource: 'MEDIA:42' });
    expect(object('r=42')).toEqual({ scope: 'api', legacy_resource: '42' });
    expect(object('resource=MEDIA:42&resource=https://a.example')).toMatchObject({
      legacy_resource: 'MEDIA:42',
      resource: 'https://a.example',
    });
  });

  it.each([
    ['https://archive.example.org', true],
    ['https://unknown.example.org/path', true],
    ['HTTPS://unknown.example.org', true],
    ['urn:example:archive', true],
    ['urn:example:other', false],
    ['MEDIA:42', false],
    ['media:42', false],
    ['//archive.example.org', false],
    ['archive.example.org', false],
    ['https://', false],
    ['', false],
  ])('takes %s for an audience: %s', (value, expected) => {
    expect(isAudience(value, RESOURCES)).toBe(expected);
  });

  it('ignores a method of PKCE without a challenge', () => {
    expect(object('code_challenge_method=S256')).toEqual({ scope: 'api' });
    expect(object('code_challenge_method=S256&code_challenge=')).toEqual({ scope: 'api', code_challenge: '' });
    expect(object('code_challenge_method=S256&code_challenge=abc')).toMatchObject({ code_challenge_method: 'S256' });
  });

  it('takes the device from the header if the query has none', () => {
    expect(object('', 'phone')).toMatchObject({ device: 'phone' });
    expect(object('device=tablet', 'phone')).toMatchObject({ device: 'tablet' });
    expect(object('device=', 'phone')).toMatchObject({ device: '' });
  });

  it('returns an invalid response type where the client expects it', () => {
    expect(object('response_type=code')).toMatchObject({ response_type: 'code' });
    for (const type of ['token', 'id_token', 'code token', 'none', 'CODE']) {
      expect(object(`response_type=${encodeURIComponent(type)}`)).toMatchObject({ response_type: 'unsupported' });
    }
    expect(object('client_id=account&response_type=none')).toMatchObject({ response_type: 'none' });
  });

  describe('of any kind', () => {
    const OURS = ['clientId', 'r', 'u', 'offline', 'legacy_resource'];
    const TRANSLATED = ['client_id', 'resource', 'scope', 'response_type', 'code_challenge_method', 'device', 'nonce'];
    const names = fc.oneof(
      fc.constantFrom(...OURS, ...TRANSLATED, 'state', 'redirect_uri', 'code_challenge', 'prompt', 'env'),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    );
    const values = fc.oneof(
      fc.constantFrom('', 'newsroom', 'code', 'S256', 'openid api', 'offline_access', 'MEDIA:1', 'https://a.example', '1', ...RESOURCES),
      fc.string({ unit: 'grapheme' }),
    );
    const entries = fc.array(fc.tuple(names, values), { maxLength: 12 });
    const acceptable = (query: [string, string][]) => refusalOf(new URLSearchParams(query).toString()) === undefined;

    it('is returned without legacy spellings and internal parameters', () => {
      fc.assert(
        fc.property(entries.filter(acceptable), (query) => {
          const result = translate(query);
          for (const name of ['clientId', 'r', 'u']) expect(result.has(name)).toBe(false);
          const asked = query.filter(([name]) => name === 'scope');
          const wantsOffline = asked.length === 1 && asked.some(([, value]) => value.split(' ').includes('offline_access'));
          expect(result.getAll('offline')).toEqual(wantsOffline ? ['1'] : []);
          for (const value of result.getAll('resource')) expect(isAudience(value, RESOURCES)).toBe(true);
          for (const value of result.getAll('legacy_resource')) expect(isAudience(value, RESOURCES)).toBe(false);
        }),
      );
    });

    it('always asks for a scope, which never contains offline_access unless it was repeated', () => {
      fc.assert(
        fc.property(entries.filter(acceptable), (query) => {
          const scopes = translate(query).getAll('scope');
          if (query.filter(([name]) => name === 'scope').length > 1) return;
          expect(scopes).toHaveLength(1);
          expect(scopes[0]).toMatch(/\S/);
          expect(scopes[0]?.split(' ')).not.toContain('offline_access');
        }),
      );
    });

    it('keeps every other parameter as it was sent, also if it was sent twice', () => {
      fc.assert(
        fc.property(entries.filter(acceptable), (query) => {
          const others = (all: Iterable<[string, string]>) =>
            [...all].filter(([name]) => !OURS.includes(name) && !TRANSLATED.includes(name));
          expect(others(translate(query))).toEqual(others(new URLSearchParams(query)));
        }),
      );
    });

    it('leaves the query that it was made from alone', () => {
      fc.assert(
        fc.property(entries.filter(acceptable), (query) => {
          const given = new URLSearchParams(query);
          const before = given.toString();
          translate(given, 'phone');
          expect(given.toString()).toBe(before);
        }),
      );
    });
  });
});

describe('the header of a device', () => {
  it('is read with any of the prefixes, in their order', () => {
    const headers = { 'x-service-device': 'a', 'x-vendor-device': 'b', 'x-other-device': 'c' };
    expect(deviceHeader(headers, ['x-service', 'x-vendor'])).toBe('a');
    expect(deviceHeader(headers, ['x-vendor', 'x-service'])).toBe('b');
    expect(deviceHeader({ 'x-vendor-device': 'b', 'x-service-device': '' }, ['x-service', 'x-vendor'])).toBe('b');
    expect(deviceHeader({ 'x-stranger-device': 'd' }, ['x-service'])).toBeUndefined();
  });
});
