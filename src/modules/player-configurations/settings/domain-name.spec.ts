import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDomainName } from './domain-name.js';

const LONG = `${'a'.repeat(63)}.`.repeat(3);

describe('a domain name', () => {
  it.each([
    ...['example.org', 'EXAMPLE.org', 'localhost', 'a', 'a-b.c--d.e', '1.example', 'x1', `${'a'.repeat(63)}.org`],
    ...['bücher.example', 'xn--bcher-kva.example', 'ドメイン.テスト', 'παράδειγμα.δοκιμή', 'मिसाल.कॉम', `${LONG}${'a'.repeat(61)}`],
  ])('is %s', (name) => {
    expect(isDomainName(name)).toBe(true);
  });

  it.each([
    ...[
      '',
      '.',
      '.example.org',
      'example.org.',
      'a..b',
      '-a.org',
      'a-.org',
      'a_b.org',
      `${'a'.repeat(64)}.org`,
      `${LONG}${'a'.repeat(62)}`,
    ],
    ...['http://example.org', 'example.org/', 'example.org:80', 'a@example.org', '*.example.org', 'exa mple.org', 'example.org\n', 'a%2eb'],
    ...['192.0.2.1', '1.2', '1', '[::1]', '::1', '0x7f.1', 'ex。org', '💩.org'],
    ...[null, undefined, 5, {}, ['example.org']],
  ])('is not %j', (name) => {
    expect(isDomainName(name)).toBe(false);
  });

  it('is every one that fast-check makes up', () => {
    fc.assert(fc.property(fc.domain(), (name) => isDomainName(name)));
  });

  it('is an answer for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof isDomainName(text) === 'boolean'));
  });
});
