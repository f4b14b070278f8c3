import { describe, expect, it } from '@jest/globals';
import type { AddressResolver } from './address-resolver.port.js';
import { checkedLookup } from './checked-lookup.js';
import { EgressAllowlist } from './egress-target.js';

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
