import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { familyOfRange } from './ip-white-list.dto.js';

describe('a range of addresses', () => {
  it.each([
    ['192.0.2.0/24', 'ipv4'],
    ['192.0.2.7', 'ipv4'],
    ['10.1.2.3/8', 'ipv4'],
    ['0.0.0.0/0', 'ipv4'],
    ['192.0.2.1/32', 'ipv4'],
    ['2001:DB8::/32', 'ipv6'],
    ['::', 'ipv6'],
    ['::/0', 'ipv6'],
    ['::1/128', 'ipv6'],
    ['::ffff:10.0.0.0/104', 'ipv6'],
  ])('%s is %s', (range, family) => {
    expect(familyOfRange(range)).toBe(family);
  });

  it.each([
    ...['', ' ', '10', '10.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/1e1', '010.0.0.0', '256.0.0.0'],
    ...[' 10.0.0.0/8', '10.0.0.0/8\n', '10.0.0.0/8/8', '10.0.0.0-10.0.0.9', '::/129', ':::', 'fe80::1%eth0', '[::1]', 'localhost'],
    ...[null, undefined, 5, {}, [], ['10.0.0.0/8']],
  ])('%j is invalid', (range) => {
    expect(familyOfRange(range)).toBeNull();
  });

  it('is every address with every length of its family', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), fc.nat(32), fc.nat(128), (v4, v6, short, long) => {
        expect([familyOfRange(`${v4}/${short}`), familyOfRange(`${v6}/${long}`)]).toEqual(['ipv4', 'ipv6']);
      }),
    );
  });
});
