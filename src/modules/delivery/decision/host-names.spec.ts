import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { frameAncestors, HostPatterns, hostName, refererPage } from './host-names.js';

const matches = (pattern: string, referer: string | null): boolean => {
  const page = refererPage(referer);
  return page !== null && new HostPatterns([pattern]).match(page);
};

describe('the page that a request comes from', () => {
  it.each<[pattern: string, referer: string | null, isAllowed: boolean]>([
    ['example.com', 'https://example.com/page?x=1#y', true],
    ['example.com', 'http://example.com:8080/', true],
    // A port that is named is the only one.
    ['example.com:443', 'https://example.com:8443/', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:80', 'http://example.com/', true],
    ['example.com:80', 'https://example.com/', false],
    ['*.example.com:8443', 'https://www.example.com:8443/', true],
    ['*.example.com:8443', 'https://www.example.com/', false],
    // Addresses are hosts, too.
    ['10.0.0.5', 'http://10.0.0.5/wiki', true],
    ['10.0.0.5', 'http://10.0.0.5:8080/', true],
    ['10.0.0.5:8080', 'http://10.0.0.5:8080/', true],
    ['10.0.0.5:8080', 'http://10.0.0.5/', false],
    ['10.0.0.5', 'http://10.0.0.50/', false],
    ['10.0.0.5', 'http://10.0.0.5.evil.test/', false],
    ['*.0.0.5', 'http://10.0.0.5/', false],
    ['[2001:DB8::0:5]', 'http://[2001:db8::5]:8080/', true],
    ['[2001:db8::5]:8080', 'http://[2001:db8::5]:8080/', true],
    ['[2001:db8::5]:8080', 'http://[2001:db8::5]/', false],
    ['Example.COM', 'https://eXample.com', true],
    ['example.com.', 'https://example.com/', true],
    ['example.com', 'https://example.com./', true],
    ['example.com', 'https://www.example.com/', false],
    ['*.example.com', 'https://www.example.com/', true],
    ['*.example.com', 'https://a.b.c.example.com./', true],
    ['*.EXAMPLE.com', 'https://www.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://.example.com/', false],
    // Names in other scripts, however either side writes them.
    ['müller.example', 'https://xn--mller-kva.example/', true],
    ['xn--mller-kva.example', 'https://müller.example/', true],
    ['*.MÜLLER.example', 'https://www.xn--mller-kva.example/', true],
    ['mueller.example', 'https://müller.example/', false],
    // Hosts that only look like it.
    ['example.com', 'https://evilexample.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['example.com', 'https://example.com@evil.test/', false],
    ['example.com', 'https://evil.test/?example.com', false],
    ['example.com', 'https://evil.test/https://example.com/', false],
    ['example.com', 'https://evil.test#@example.com/', false],
    ['example.com', 'https://evil.test\\@example.com/', false],
    ['*.example.com', 'https://evilexample.com/', false],
    ['*.example.com', 'https://www.example.com.evil.test/', false],
    ['example.com', 'https://examp1e.com/', false],
    ['example.com', 'https://exаmple.com/', false], // a Cyrillic а
    // No page at all.
    ['example.com', null, false],
    ['example.com', '', false],
    ['example.com', 'null', false],
    ['example.com', 'example.com', false],
    ['example.com', 'file://example.com/', false],
    ['example.com', 'android-app://example.com/', false],
    ['example.com', 'data:text/html,example.com', false],
    // Invalid patterns match no host.
    ['*', 'https://example.com/', false],
    ['', 'https://example.com/', false],
    ['*.', 'https://example.com/', false],
    ['www.*.com', 'https://www.example.com/', false],
    ['https://example.com/', 'https://example.com/', false],
    ['evil.test@example.com', 'https://example.com/', false],
  ])('for "%s": %s is allowed: %s', (pattern, referer, isAllowed) => expect(matches(pattern, referer)).toBe(isAllowed));

  it('may be written in any script after thousands of other pages, too', () => {
    for (let page = 0; page < 20_000; page += 1) refererPage(`https://page-${page}.example/`);
    for (let again = 0; again < 20_000; again += 1) refererPage('https://müller.example/');
    expect(matches('müller.example', 'https://müller.example/')).toBe(true);
  });

  it('matches a wildcard exactly where it is longer than the host below the star, by whole labels', () => {
    fc.assert(
      fc.property(fc.domain(), fc.domain(), (below, host) => {
        const [a, b] = [hostName(below), hostName(host)];
        fc.pre(a !== null && b !== null);
        expect(matches(`*.${below}`, `https://${host}/`)).toBe(b?.endsWith(`.${a}`));
        expect(matches(`*.${below}`, `https://${host}.${below}/`)).toBe(true);
        expect(matches(`*.${below}`, `https://${host}${below}/`)).toBe(`${b}${a}`.endsWith(`.${a}`));
        expect(matches(below, `https://${host}/`)).toBe(a === b);
      }),
    );
  });
});

describe('a host', () => {
  it.each<[string, string | null]>([
    ['Media.Example.ORG:8443', 'media.example.org'],
    ['media.example.org.', 'media.example.org'],
    ['[::1]:80', '[::1]'],
    ['', null],
    ['evil.test/media.example.org', null],
    ['user@media.example.org', null],
    ['media.example.org:port', null],
    ['a b', null],
  ])('"%s" is %s', (text, host) => expect(hostName(text)).toBe(host));
});

describe('the pages that may show a link in a frame', () => {
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

  it('are read from the deprecated setting where the current one is missing', () => {
    const settings = { matchReferer: ['old.example'] };
    expect(frameAncestors({ securitySettings: { authOnly: false }, settings })).toEqual(['https://old.example:*', 'http://old.example:*']);
  });

  it('are empty if the rule has no hosts, or only hosts that a policy cannot express', () => {
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
});
