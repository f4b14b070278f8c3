import { describe, expect, it } from '@jest/globals';
import { parseUrl } from '../validation/index.js';
import { EgressFailure } from './egress-failure.js';
import { EgressAllowlist, egressTarget } from './egress-target.js';

const allowlist = new EgressAllowlist(['hooks.internal', '10.0.0.7', '::1']);

const target = (url: string): unknown => {
  const found = egressTarget(url, allowlist);
  return found instanceof EgressFailure ? String(found) : found;
};

describe('the target of a request', () => {
  it.each([
    ['https://hooks.example.org', { origin: 'https://hooks.example.org', path: '/', host: 'hooks.example.org' }],
    ['HTTPS://Hooks.Example.org:443/a?b=c#d', { origin: 'https://hooks.example.org', path: '/a?b=c', host: 'hooks.example.org' }],
    ['https://hooks.example.org:8443/', { origin: 'https://hooks.example.org:8443', path: '/', host: 'hooks.example.org' }],
    ['https://8.8.8.8/', { origin: 'https://8.8.8.8', path: '/', host: '8.8.8.8' }],
    ['https://[2606:4700::1111]/', { origin: 'https://[2606:4700::1111]', path: '/', host: '2606:4700::1111' }],
    ['http://hooks.internal/', { origin: 'http://hooks.internal', path: '/', host: 'hooks.internal' }],
    ['http://10.0.0.7/', { origin: 'http://10.0.0.7', path: '/', host: '10.0.0.7' }],
    ['http://[::1]:81/', { origin: 'http://[::1]:81', path: '/', host: '::1' }],
  ])('%s is found', (url, expected) => {
    expect(target(url)).toEqual(expected);
  });

  it.each([
    ['http://hooks.example.org/secret', 'plain http: hooks.example.org must be called by https'],
    ['http://8.8.8.8/secret', 'plain http: 8.8.8.8 must be called by https'],
    ['https://10.0.0.8/secret', 'blocked address: 10.0.0.8 is a private address'],
    ['https://0x7f.1/secret', 'blocked address: 127.0.0.1 is a loopback address'],
    ['https://[::ffff:8.8.8.8]/secret', 'blocked address: ::ffff:808:808 is an IPv4-mapped address'],
    ['https://secret@hooks.example.org/', 'invalid url: the URL carries a user name or a password'],
    ['https://:secret@hooks.internal/', 'invalid url: the URL carries a user name or a password'],
    ['ftp://hooks.internal/secret', 'invalid url: the URL must start with https://'],
    ['secret', 'invalid url: the URL must start with https://'],
    ['https://secret host/', 'invalid url: the URL must start with https://'],
  ])('%s is refused without disclosing possible secrets', (url, reason) => {
    expect(target(url)).toBe(reason);
  });
});

/** Whether the host of a URL, in whatever spelling, is allowed by this entry. */
const allows = (entry: string, host: string): boolean =>
  new EgressAllowlist([entry]).has(parseUrl(`http://${host}/`)?.hostname ?? 'no host');

describe('an allowlist', () => {
  it.each([
    ['hooks.internal', 'hooks.internal'],
    ['hooks.internal', 'HOOKS.Internal'],
    ['HOOKS.Internal', 'hooks.internal'],
    ['hooks.internal', 'hooks.internal.'],
    ['hooks.internal.', 'hooks.internal'],
    ['hooks.internal', 'hooks.internal:8080'],
    ['müller.example', 'xn--mller-kva.example'],
    ['xn--mller-kva.example', 'MÜLLER.example'],
    ['10.0.0.7', '10.0.0.7'],
    ['10.0.0.7', '0x0a.0.0.7'],
    ['::1', '[::1]'],
    ['[::1]', '[0:0:0:0:0:0:0:1]'],
    ['FD00::1', '[fd00:0::1]'],
  ])('with %s allows %s', (entry, host) => {
    expect(allows(entry, host)).toBe(true);
  });

  it.each([
    ['hooks.internal', 'evil.hooks.internal'],
    ['hooks.internal', 'internal'],
    ['hooks.internal', 'hooks.internal.example'],
    ['10.0.0.7', '10.0.0.8'],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
    ['localhost', '127.0.0.1'],
    ['::1', '127.0.0.1'],
  ])('with %s does not allow %s', (entry, host) => {
    expect(allows(entry, host)).toBe(false);
  });

  it.each(['', ' ', 'no host', '//'])('with %j allows nothing', (entry) => {
    expect(allows(entry, 'hooks.internal')).toBe(false);
    expect(new EgressAllowlist([entry]).has('')).toBe(false);
  });
});
