import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { networkOf } from './network-of.js';

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['', ''],
    ['no address', 'no address'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all addresses of a /64, and for no other', () => {
    const half = fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 });
    const write = (groups: number[]) => groups.map((group) => group.toString(16)).join(':');
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, otherHost) => {
        const of = (left: number[], right: number[]) => networkOf(write([...left, ...right]));
        expect(of(network, host)).toBe(of(network, otherHost));
        expect(of(network, host) === of(other, host)).toBe(write(network) === write(other));
      }),
    );
  });

  it('does not depend on how the address is written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
        expect(networkOf(address)).toBe(networkOf(canonical));
        expect(networkOf(address)).toMatch(/^([0-9a-f]{1,4}:){4}:\/64$/);
      }),
    );
  });
});
