import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDomainName, isRefererHost } from './domain-name.js';

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

describe('a host of pages', () => {
  it.each([
    ...['example.org', '*.example.org', 'localhost', 'bücher.example', '10.0.0.5', '[2001:db8::5]', '[::1]'],
    ...['example.org:8443', '*.example.org:1', '10.0.0.5:65535', '[2001:db8::5]:8080', 'localhost:3000'],
  ])('is %s', (host) => expect(isRefererHost(host)).toBe(true));

  it.each([
    ...[
      'http://10.0.0.5',
      '10.0.0.5/',
      '10.0.0.0/8',
      '010.0.0.1',
      '10.0.5',
      '300.0.0.1',
      '*.10.0.0.5',
      '2001:db8::5',
      '[2001:db8::5',
      '[::1%eth0]',
    ],
    ...[
      'example.org:',
      'example.org:0',
      'example.org:65536',
      'example.org:http',
      ':80',
      '*',
      '*.',
      '[10.0.0.5]',
      '[]',
      'a@10.0.0.5',
      null,
      5,
    ],
  ])('is not %j', (host) => expect(isRefererHost(host)).toBe(false));
});
