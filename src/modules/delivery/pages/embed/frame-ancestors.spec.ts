import { expect, it } from '@jest/globals';
import { frameAncestors } from './frame-ancestors.js';

const security = (matchReferer: string[]) => ({ authOnly: false, matchReferer });

it('are all pages without the rule', () => {
  expect(frameAncestors({ securitySettings: null, settings: null })).toBe('any');
  expect(frameAncestors({ securitySettings: { authOnly: true }, settings: {} })).toBe('any');
});

it('are the hosts of the rule, on any port unless one is named, by http, too', () => {
  const securitySettings = security(['example.org', '*.Example.com', 'bücher.example', 'example.org:8080']);
  expect(frameAncestors({ securitySettings, settings: { matchReferer: ['old.example'] } })).toEqual([
    ...['https://example.org:*', 'http://example.org:*', 'https://*.example.com:*', 'http://*.example.com:*'],
    ...['https://xn--bcher-kva.example:*', 'http://xn--bcher-kva.example:*', 'https://example.org:8080', 'http://example.org:8080'],
  ]);
});

it('may contain IPv4 addresses; a policy cannot contain IPv6 addresses, so these are checked by the Referer only', () => {
  const ancestors = ['https://10.0.0.5:*', 'http://10.0.0.5:*', 'https://10.0.0.6:8080', 'http://10.0.0.6:8080'];
  expect(frameAncestors({ securitySettings: security(['10.0.0.5', '10.0.0.6:8080']), settings: null })).toEqual(ancestors);
  expect(frameAncestors({ securitySettings: security(['example.org', '[::1]:8080']), settings: null })).toBe('any');
});

it('are read from the deprecated setting where the other is missing', () => {
  const settings = { matchReferer: ['old.example'] };
  expect(frameAncestors({ securitySettings: { authOnly: false }, settings })).toEqual(['https://old.example:*', 'http://old.example:*']);
});

it('are none if the rule has no hosts, or none that a policy can express', () => {
  expect(frameAncestors({ securitySettings: security([]), settings: null })).toEqual([]);
  expect(frameAncestors({ securitySettings: security(["'self'", 'a b', 'x; script-src *', '*', '*.10.0.0.5']), settings: null })).toEqual(
    [],
  );
});

it('are all pages if the list is too long for a header; the Referer is still checked', () => {
  const many = Array.from({ length: 100 }, (_, n) => `site-${n}.example.org`);
  expect(frameAncestors({ securitySettings: security(many), settings: null })).toBe('any');
  expect(frameAncestors({ securitySettings: security(many.slice(0, 40)), settings: null })).toHaveLength(80);
});
