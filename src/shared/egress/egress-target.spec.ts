import { describe, expect, it } from '@jest/globals';
import { parseUrl } from '../validation/index.js';
import type { AddressResolver } from './address-resolver.port.js';
import { EgressFailure } from './egress-failure.js';
import { checkedLookup, EgressAllowlist, egressTarget } from './egress-target.js';

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

/** Answers one list of addresses after the other, whatever is asked for. */
class Answers implements AddressResolver {
  asked = 0;

  constructor(private readonly answers: (readonly string[])[]) {}

  async resolve(): Promise<readonly string[]> {
    this.asked += 1;
    return this.answers.shift() ?? [];
  }
}

/** What a connection to the host is told. */
const lookup = (resolver: AddressResolver, all: boolean, allowed: string[] = []) =>
  new Promise((resolve) => {
    const asked = checkedLookup(resolver, new EgressAllowlist(allowed));
    asked('hooks.example.org', { all }, (error, address, family) => resolve(error ? error.message : { address, family }));
  });

describe('the address of a host', () => {
  it('is one of the checked addresses, from one lookup', async () => {
    const resolver = new Answers([['8.8.8.8', '2606:4700::1111'], ['127.0.0.1']]);
    const address = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ];
    expect(await lookup(resolver, true)).toEqual({ address });
    expect(resolver.asked).toBe(1);
  });

  it('is the first checked address if only one is requested', async () => {
    expect(await lookup(new Answers([['8.8.8.8', '2606:4700::1111']]), false)).toEqual({ address: '8.8.8.8', family: 4 });
  });

  it('is checked again for the next connection', async () => {
    const resolver = new Answers([['8.8.8.8'], ['10.0.0.7']]);
    await lookup(resolver, true);
    expect(await lookup(resolver, true)).toBe('blocked address: hooks.example.org is 10.0.0.7, a private address');
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700::1111', '::1']],
    [['8.8.8.8', '::ffff:8.8.8.8']],
    [['8.8.8.8', 'fe80::1%eth0']],
    [['8.8.8.8', '']],
  ])('is refused if one of %j is not public', async (addresses) => {
    expect(await lookup(new Answers([addresses]), true)).toMatch(/^blocked address: hooks.example.org is .*, (an? |no )/);
    expect(await lookup(new Answers([addresses]), false)).toMatch(/^blocked address: /);
  });

  it('is any address if the operator allows the name', async () => {
    const address = [{ address: '10.0.0.7', family: 4 }];
    expect(await lookup(new Answers([['10.0.0.7']]), true, ['Hooks.Example.org'])).toEqual({ address });
    expect(await lookup(new Answers([['10.0.0.7']]), true, ['10.0.0.7'])).toMatch(/^blocked address: /);
  });

  it('is refused if the name has no address', async () => {
    expect(await lookup(new Answers([[]]), true)).toBe('dns: hooks.example.org has no address');
    const broken = {
      resolve: async () => {
        throw Object.assign(new Error('queryA ETIMEOUT'), { code: 'ETIMEOUT' });
      },
    };
    expect(await lookup(broken, true)).toBe('dns: hooks.example.org could not be resolved (ETIMEOUT)');
  });
});
