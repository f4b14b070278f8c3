import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CidrTable, parseAddress, parseCidr, parseV4, parseV6 } from './addresses.js';

/** What looks like an address, and often is none. */
const almost = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 24 });
const groups = fc.array(fc.constantFrom('0', '1', 'ffff', 'FFFF', '00ab', '12345', '', '1.2.3.4', '01.2.3.4'), {
  minLength: 1,
  maxLength: 9,
});

describe('an address', () => {
  it('is IPv4 in four decimal numbers, as Node sees it', () => {
    const octets = fc.array(fc.oneof(fc.nat(300).map(String), fc.constantFrom('00', '010', '', '1e1', '-1', ' 1', '0x1')), {
      maxLength: 5,
    });
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV4Extended(),
      octets.map((all) => all.join('.')),
      almost('0123456789.'),
    );
    fc.assert(fc.property(texts, (text) => expect(parseV4(text) !== null).toBe(isIPv4(text))));
  });

  it('is IPv6 in every spelling that Node knows, and in no other', () => {
    const texts = fc.oneof(
      fc.ipV6(),
      groups.map((all) => all.join(':')),
      almost('0123456789abcdefF:.'),
      almost('1:'),
    );
    fc.assert(
      fc.property(texts, (text) => expect(parseV6(text) !== null).toBe(isIPv6(text))),
      { numRuns: 500 },
    );
  });

  it.each([
    '',
    '010.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '0x7f.0.0.1',
    '1.2.3.4 ',
    '2130706433',
    'localhost',
    '1.2.3.4:99999',
    '[1.2.3.4]',
    ':::',
    '1::2::3',
    '[::1',
    'fe80::1%',
    '::ffff:010.0.0.1',
  ])('is not "%s"', (text) => expect(parseAddress(text)).toBeNull());

  it.each<[string, string]>([
    ['203.0.113.7:8443', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:0DB8:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ])('%s is %s', (text, plain) => {
    expect(parseAddress(text)).toEqual(parseAddress(plain));
    expect(parseAddress(plain)).not.toBeNull();
  });
});

describe('a table of ranges', () => {
  const cidr4 = fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => ({ address, prefix, family: 'ipv4' as const }));
  const cidr6 = fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, prefix]) => ({ address, prefix, family: 'ipv6' as const }));
  // From few numbers, so that ranges meet.
  const near4 = fc.tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 6, max: 32 }));
  const near = near4.map(([a, b, prefix]) => ({ address: `10.${a * 64}.0.${b}`, prefix, family: 'ipv4' as const }));
  const viewer = fc.oneof(
    fc.ipV4(),
    fc.ipV6().filter((text) => parseAddress(text)?.family === 6 && parseAddress(text)?.translated === null),
    fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => `10.${a * 64}.0.${b}`),
  );

  it('knows whether an address is in one, like the BlockList of Node', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(cidr4, cidr6, near), { maxLength: 20 }), viewer, (ranges, text) => {
        const isMapped = (address: string) => parseAddress(address)?.family === 4;
        const plain = ranges.filter(({ address, family }) => family === 'ipv4' || !isMapped(address));
        const family = isIPv4(text) ? 'ipv4' : 'ipv6';
        const oracle = new BlockList(); // it takes IPv4 to be in IPv6 ranges such as ::/0; here each type is for itself
        for (const range of plain) if (range.family === family) oracle.addSubnet(range.address, range.prefix, range.family);
        const table = new CidrTable(plain.map(({ address, prefix }) => ({ cidr: `${address}/${prefix}`, value: null })));
        const address = parseAddress(text);
        expect(address && table.covers(address)).toBe(oracle.check(text, family));
      }),
      { numRuns: 500 },
    );
  });

  it('answers all ranges around an address, the narrowest first', () => {
    fc.assert(
      fc.property(fc.array(near, { maxLength: 20 }), fc.nat(3), fc.nat(3), (ranges, a, b) => {
        const text = `10.${a * 64}.0.${b}`;
        const single = ({ address, prefix }: (typeof ranges)[number]) => {
          const oracle = new BlockList();
          oracle.addSubnet(address, prefix, 'ipv4');
          return oracle.check(text);
        };
        const expected = ranges.filter(single).map(({ prefix }) => prefix);
        const table = new CidrTable(ranges.map(({ address, prefix }) => ({ cidr: `${address}/${prefix}`, value: prefix })));
        const address = parseAddress(text);
        expect(address && table.matching(address)).toEqual(expected.sort((x, y) => y - x));
      }),
    );
  });

  it.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0/8', '10.0.0.0/08', '010.0.0.0/8', '10.0.0.0/8/8', 'fe80::1%eth0/64', '*', ''])(
    'does not read "%s"',
    (cidr) => expect(parseCidr(cidr)).toBeNull(),
  );

  it.each<[cidr: string, address: string, isIn: boolean]>([
    ['203.0.113.0/24', '::ffff:203.0.113.7', true],
    ['::ffff:203.0.113.0/120', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.99/24', '203.0.113.7', true],
    ['::/0', '203.0.113.7', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    // Behind a translator (RFC 6052): by the IPv4 address, and by the address itself.
    ['203.0.113.0/24', '64:ff9b::203.0.113.7', true],
    ['64:ff9b::/96', '64:ff9b::203.0.113.7', true],
    ['64:ff9b::/96', '203.0.113.7', false],
    ['203.0.113.0/24', '64:ff9b:1::203.0.113.7', false],
    ['10.0.0.0/8', '64:ff9b::10.0.0.1', false],
    ['127.0.0.0/8', '64:ff9b::7f00:1', false],
    ['192.168.0.0/16', '64:ff9b::192.168.1.1', false],
  ])('%s holds %s: %s', (cidr, text, isIn) => {
    const address = parseAddress(text);
    expect(address && new CidrTable([{ cidr, value: null }]).covers(address)).toBe(isIn);
  });

  it('answers the narrower of a translated address and the IPv4 address behind it first', () => {
    const table = new CidrTable(['203.0.113.0/24', '64:ff9b::/96', '64:ff9b::203.0.113.7/128'].map((cidr) => ({ cidr, value: cidr })));
    const address = parseAddress('64:ff9b::203.0.113.7');
    expect(address && table.matching(address)).toEqual(['64:ff9b::203.0.113.7/128', '203.0.113.0/24', '64:ff9b::/96']);
  });
});
