import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Provider } from 'oidc-provider';
import type { ClientType } from './client.entity.js';
import { answerUrl, findRedirectUriProblem, frameAncestors, hasExactAncestors, restoreRegisteredUri } from './redirect-uris.js';

const TYPES: readonly ClientType[] = ['web', 'mobile', 'desktop'];

describe('a redirect URI', () => {
  it.each([
    ['web', 'https://portal.example/callback?tenant=1'],
    ['web', 'http://localhost:8080/callback'],
    ['web', 'http://portal.example/callback'],
    ['mobile', 'com.example.app:/callback'],
    ['mobile', 'exampleapp://callback'],
    ['mobile', 'https://app.example/callback'],
    ['desktop', 'http://127.0.0.1:49152/callback'],
    ['desktop', 'http://[::1]:49152/callback'],
  ] as const)('of a %s client can be %s', (type, uri) => {
    expect(findRedirectUriProblem(uri, type)).toBeNull();
  });

  it.each([
    ['/callback', 'absolute'],
    ['', 'absolute'],
    ['https:portal.example/callback', 'absolute'],
    ['https:///callback', 'absolute'],
    ['https:\\\\portal.example', 'absolute'],
    ['https://portal.example/#', 'fragment'],
    ['https://portal.example/#top', 'fragment'],
    ['https://*.portal.example/callback', 'wildcard'],
    ['https://portal.example/*', 'wildcard'],
    [' https://portal.example/', 'ASCII'],
    ['https://portal.example/\ncallback', 'ASCII'],
    ['https://pörtal.example/', 'ASCII'],
  ])('cannot be %j', (uri, reason) => {
    for (const type of TYPES) expect(findRedirectUriProblem(uri, type)).toContain(reason);
  });

  it.each([
    ['web', 'com.example.app:/callback'],
    ['web', 'javascript:alert(1)'],
    ['mobile', 'javascript:alert(1)'],
    ['desktop', 'data:text/html,x'],
    ['desktop', 'file:///etc/passwd'],
    ['mobile', 'http://app.example/callback'],
    ['desktop', 'https://localhost/callback'],
  ] as const)('of a %s client cannot be %s', (type, uri) => {
    expect(findRedirectUriProblem(uri, type)).not.toBeNull();
  });
});

describe('the response in the query of a redirect URI', () => {
  const answer = { code: 'a+b c', state: "it's", iss: 'http://op.example' };
  const encoded = 'code=a%2Bb+c&state=it%27s&iss=http%3A%2F%2Fop.example';

  it.each([
    ['http://client.example/callback', `http://client.example/callback?${encoded}`],
    ['http://client.example/callback?', `http://client.example/callback?${encoded}`],
    ['http://client.example/callback?x=a%20b', `http://client.example/callback?x=a%20b&${encoded}`],
    ["http://client.example/callback?x='a'&&y&z=%7e+%C3%BC", `http://client.example/callback?x='a'&&y&z=%7e+%C3%BC&${encoded}`],
    ['http://client.example/callback?state=old&x=a%20b&c%6Fde=1', `http://client.example/callback?x=a%20b&${encoded}`],
    ['com.example.app:/callback?x=a%20b', `com.example.app:/callback?x=a%20b&${encoded}`],
  ])('leaves the bytes of %s', (uri, expected) => {
    expect(answerUrl(uri, answer)).toBe(expected);
  });

  /** What oidc-provider and koa make of a redirect URI. */
  const asTheLibrary = (uri: string, mode: 'query' | 'fragment') => {
    const url = new URL(uri);
    if (mode === 'fragment') url.hash = new URLSearchParams(answer).toString();
    else for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
    return url.href;
  };

  it('has the bytes of any registered URI again after oidc-provider has added the response', () => {
    const part = fc.string({ unit: fc.constantFrom(..."ab%20%7e+'=&[]:/?@!$()*,;~-._".split('')), maxLength: 24 });
    fc.assert(
      fc.property(part, (query) => {
        const uri = `https://client.example/callback?x=${query}`;
        expect(restoreRegisteredUri(asTheLibrary(uri, 'query'), uri)).toBe(`${uri}&${encoded}`);
        expect(restoreRegisteredUri(asTheLibrary(uri, 'fragment'), uri)).toMatch(`${uri}#code=`);
      }),
    );
  });

  it.each([
    'https://client.example/other?x=a%20b',
    'https://other.example/callback?x=a%20b',
    'https://client.example/callback?y=1',
    'https://op.example/v4/interaction/1',
    '/v4/interaction/1',
    '',
  ])('is not put into a URI from which %s was not built', (address) => {
    expect(restoreRegisteredUri(address, 'https://client.example/callback?x=a%20b')).toBeNull();
  });
});

describe('oidc-provider', () => {
  let provider: Provider;
  beforeAll(() => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue(); // it warns of its defaults for development
    provider = new Provider('http://op.example');
    warn.mockRestore();
  });

  /** Throws what the library would answer to the first request of such a client. */
  const accept = (uri: string, type: ClientType) => {
    const Client = provider.Client as unknown as new (metadata: object) => unknown;
    const native = type === 'web' ? 'web' : 'native';
    return new Client({ client_id: 'c', application_type: native, redirect_uris: [uri], token_endpoint_auth_method: 'none' });
  };

  const scheme = fc.constantFrom(
    'http',
    'https',
    'HTTPS',
    'com.example.app',
    'app',
    'javascript',
    'vbscript',
    'data',
    'blob',
    'file',
    'about',
    'ftp',
    'x',
  );
  const rest = fc.oneof(
    fc.webPath(),
    fc.constantFrom('//localhost/cb', '//127.0.0.1:1/', '//[::1]/', '//LOCALHOST', '/cb', 'cb', '//x.example?q#f', '//u@h'),
  );
  const uri = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.tuple(scheme, rest).map(([a, b]) => `${a}:${b}`),
    fc.string(),
  );

  it('accepts every redirect URI that we accept', () => {
    fc.assert(
      fc.property(uri, fc.constantFrom(...TYPES), (candidate, type) => {
        fc.pre(findRedirectUriProblem(candidate, type) === null);
        expect(() => accept(candidate, type)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the pages that may frame a sign-in', () => {
  it('have the origin of a redirect URI, also of a custom scheme with a host', () => {
    const uris = ['https://app.example/a', 'https://app.example/b?c=d', 'http://localhost:8080/', 'com.example.app:/callback'];
    expect(frameAncestors(uris)).toEqual(['https://app.example', 'http://localhost:8080']);
    expect(frameAncestors(['com.example.app:/callback'])).toEqual([]);
    expect(frameAncestors(['capacitor://localhost/callback', 'tauri://localhost'])).toEqual(['capacitor://localhost', 'tauri://localhost']);
    expect(hasExactAncestors(uris)).toBe(true);
  });

  it.each([
    ['http://[::1]:5000/cb', 'http://*:5000'],
    ['http://[::1]/cb', 'http://*'],
    ['http://my_app.localhost:5000/cb', 'http://*.localhost:5000'],
    ['https://a.my_app.example.org/cb', 'https://*.example.org'],
    ['http://my_app:5000/cb', 'http://*:5000'],
    ["https://a;script-src'.example.org/cb", 'https://*.example.org'],
    ['myapp://a,b;c/cb', 'myapp://*'],
  ])('that a policy cannot name are covered by the narrowest source: %s', (uri, source) => {
    expect(findRedirectUriProblem(uri, uri.startsWith('http') ? 'web' : 'mobile')).toBeNull();
    expect(frameAncestors([uri])).toEqual([source]);
    expect(hasExactAncestors(['https://app.example/', uri])).toBe(false);
  });
});
