import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifyAddress } from './classify-address.js';

describe('an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.0.1.1', '198.17.255.255', '198.20.0.0'])(
    '%s is public',
    (address) => {
      expect(classifyAddress(address)).toBeNull();
    },
  );

  it.each([
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
    '2001:200::1',
    '2001:4860:4860::8888',
    '64:ff9b::8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(classifyAddress(address)).toBeNull();
  });

  it.each([
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['10.0.0.7', 'a private address'],
    ['100.64.0.1', 'an address of carrier-grade NAT'],
    ['100.100.100.200', 'an address of carrier-grade NAT'],
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['168.63.129.16', 'an address of the cloud platform'],
    ['169.254.169.254', 'a link-local address'],
    ['169.254.170.2', 'a link-local address'],
    ['172.16.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.0.0.1', 'a reserved address'],
    ['192.0.0.192', 'a reserved address'],
    ['192.0.2.1', 'a reserved address'],
    ['192.31.196.1', 'a reserved address'],
    ['192.52.193.1', 'a reserved address'],
    ['192.88.99.1', 'a reserved address'],
    ['192.168.1.1', 'a private address'],
    ['192.175.48.1', 'a reserved address'],
    ['198.18.0.1', 'a reserved address'],
    ['198.19.255.255', 'a reserved address'],
    ['198.51.100.1', 'a reserved address'],
    ['203.0.113.1', 'a reserved address'],
    ['224.0.0.1', 'a multicast address'],
    ['239.255.255.255', 'a multicast address'],
    ['240.0.0.1', 'a reserved address'],
    ['255.255.255.255', 'a broadcast address'],
  ])('%s is %s', (address, name) => {
    expect(classifyAddress(address)).toBe(name);
  });

  it.each([
    ['::', 'an unspecified address'],
    ['::1', 'a loopback address'],
    ['0:0:0:0:0:0:0:1', 'a loopback address'],
    ['::127.0.0.1', 'an IPv4-compatible address'],
    ['::7f00:1', 'an IPv4-compatible address'],
    ['::8.8.8.8', 'an IPv4-compatible address'],
    ['::ffff:127.0.0.1', 'an IPv4-mapped address'],
    ['::ffff:7f00:1', 'an IPv4-mapped address'],
    ['::FFFF:8.8.8.8', 'an IPv4-mapped address'],
    ['0:0:0:0:0:ffff:10.0.0.1', 'an IPv4-mapped address'],
    ['::ffff:0:127.0.0.1', 'an IPv4-translated address'],
    ['64:ff9b::127.0.0.1', 'a loopback address behind NAT64'],
    ['64:ff9b::10.0.0.7', 'a private address behind NAT64'],
    ['64:ff9b::a9fe:a9fe', 'a link-local address behind NAT64'],
    ['64:ff9b:0:0:0:1::1', 'a reserved address'],
    ['64:ff9b:1::8.8.8.8', 'a reserved address'],
    ['100::1', 'a reserved address'],
    ['100:0:0:1::1', 'a reserved address'],
    ['200::1', 'a reserved address'],
    ['1fff::1', 'a reserved address'],
    ['2001::1', 'a Teredo address'],
    ['2001:2::1', 'a reserved address'],
    ['2001:3::1', 'a reserved address'],
    ['2001:4:112::1', 'a reserved address'],
    ['2001:10::1', 'a reserved address'],
    ['2001:20::1', 'a reserved address'],
    ['2001:30::1', 'a reserved address'],
    ['2001:1ff::1', 'a reserved address'],
    ['2001:db8::1', 'a reserved address'],
    ['2002:7f00:1::', 'a 6to4 address'],
    ['2002:808:808::1', 'a 6to4 address'],
    ['2620:4f:8000::1', 'a reserved address'],
    ['3fff::1', 'a reserved address'],
    ['4000::1', 'a reserved address'],
    ['5f00::1', 'a reserved address'],
    ['8000::1', 'a reserved address'],
    ['fc00::1', 'a private address'],
    ['fd00:ec2::254', 'a private address'],
    ['fdff::1', 'a private address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'an address with a zone'],
    ['febf::1', 'a link-local address'],
    ['fec0::1', 'a site-local address'],
    ['feff::1', 'a site-local address'],
    ['ff02::1', 'a multicast address'],
    ['2606:4700::1%1', 'an address with a zone'],
  ])('%s is %s', (address, name) => {
    expect(classifyAddress(address)).toBe(name);
  });

  it.each(['', 'localhost', '1.2.3', '010.8.8.8', '1.2.3.4.5', '8.8.8.8 ', ':::', 'fe80::1/64', '0x7f.1'])(
    '%j is none, or is not written as resolvers write it',
    (text) => {
      expect(classifyAddress(text)).not.toBeNull();
    },
  );

  it('of IPv6 is public only in allocated ranges', () => {
    const outside = fc.tuple(
      fc.integer({ min: 0, max: 0xffff }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
    );
    fc.assert(
      fc.property(outside, ([first, rest]) => {
        fc.pre(first >> 13 !== 1 && first !== 0x64);
        const address = [first, ...rest].map((part) => part.toString(16)).join(':');
        expect(classifyAddress(address)).not.toBeNull();
      }),
    );
  });

  it('of NAT64 is as public as the IPv4 address in it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(classifyAddress(`64:ff9b::${address}`) === null).toBe(classifyAddress(address) === null);
      }),
    );
  });
});
