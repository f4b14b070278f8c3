import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Provider } from 'oidc-provider';
import type { ClientType } from './client.entity.js';
import { findRedirectUriProblem, frameAncestors, hasExactAncestors } from './redirect-uris.js';

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
