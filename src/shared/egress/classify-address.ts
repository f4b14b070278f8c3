import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../validation/index.js';

/** ipaddr.js's ranges and their common names; other ranges that are not unicast are reserved. */
const NAMES: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'an address of carrier-grade NAT',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a site-local address',
  ipv4Mapped: 'an IPv4-mapped address',
  rfc6145: 'an IPv4-translated address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};
const RESERVED = 'a reserved address';

/** A public address at which the host of an Azure machine serves that machine's credentials. */
const AZURE_PLATFORM = '168.63.129.16';
/** The well-known prefix of NAT64 (RFC 6052); its last four bytes are an IPv4 address. */
const NAT64: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];
/** The range of the public Internet (RFC 4291 section 2.4); ipaddr.js also counts addresses outside of it as unicast. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Leads to the embedded IPv4 address, or is deprecated (RFC 4291 section 2.5.5.1). */
const IPV4_COMPATIBLE: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('::'), 96];

/**
 * Why an address does not belong to the public Internet, in words ("a private address"); null if it does. Text that is not an address is
 * reported as such.
 */
export function classifyAddress(address: string): string | null {
  // ipaddr.js accepts spellings that Node does not connect to (1.2.3, 010.0.0.1).
  const family = isIP(address);
  if (family === 0) return 'no address';
  return family === 4 ? classifyIpv4(ipaddr.IPv4.parse(address)) : classifyIpv6(address);
}

function classifyIpv4(address: ipaddr.IPv4): string | null {
  if (address.toString() === AZURE_PLATFORM) return 'an address of the cloud platform';
  return nameOf(address.range());
}

function classifyIpv6(text: string): string | null {
  if (text.includes('%')) return 'an address with a zone';
  const address = ipaddr.IPv6.parse(inHexadecimal(text));
  if (isIn(address, NAT64)) return classifyEmbedded(address);
  const name = nameOf(address.range());
  if (name !== null) return name;
  if (isIn(address, IPV4_COMPATIBLE)) return 'an IPv4-compatible address';
  return isIn(address, GLOBAL_UNICAST) ? null : RESERVED;
}

/** ipaddr.js reads `::1.2.3.4` as `::ffff:1.2.3.4`, so it is given hexadecimal groups only. */
const inHexadecimal = (address: string): string => parseUrl(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '::';

/** Networks without IPv4 reach any public IPv4 host through such an address, so the embedded address is classified. */
function classifyEmbedded(address: ipaddr.IPv6): string | null {
  const name = classifyIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return name && `${name} behind NAT64`;
}

const isIn = (address: ipaddr.IPv6, [network, bits]: readonly [ipaddr.IPv6, number]): boolean => address.match(network, bits);

const nameOf = (range: string): string | null => (range === 'unicast' ? null : (NAMES[range] ?? RESERVED));
