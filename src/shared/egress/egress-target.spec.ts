import { describe, expect, it } from '@jest/globals';
import { EgressAllowlist } from './egress-allowlist.js';
import { EgressFailure } from './egress-failure.js';
import { egressTarget } from './egress-target.js';

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
    ['http://hooks.example.org/secret', 'plain http: hooks.example.org is asked by https only'],
    ['http://8.8.8.8/secret', 'plain http: 8.8.8.8 is asked by https only'],
    ['https://10.0.0.8/secret', 'blocked address: 10.0.0.8 is a private address'],
    ['https://0x7f.1/secret', 'blocked address: 127.0.0.1 is a loopback address'],
    ['https://[::ffff:8.8.8.8]/secret', 'blocked address: ::ffff:808:808 is an IPv4-mapped address'],
    ['https://secret@hooks.example.org/', 'invalid url: the URL carries a user name or a password'],
    ['https://:secret@hooks.internal/', 'invalid url: the URL carries a user name or a password'],
    ['ftp://hooks.internal/secret', 'invalid url: the URL is none that begins with https://'],
    ['secret', 'invalid url: the URL is none that begins with https://'],
    ['https://secret host/', 'invalid url: the URL is none that begins with https://'],
  ])('%s is refused, and nothing told that may be secret', (url, reason) => {
    expect(target(url)).toBe(reason);
  });
});
