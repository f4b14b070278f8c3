import ipaddr from 'ipaddr.js';
import { parseIp } from '../validation/index.js';

/**
 * Whom an address is counted for: an IPv4 address itself, an IPv6 address with its /64, because that is what one subscriber has, with
 * 2^64 addresses to go through.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1); // without the zone
  const ip = parseIp(plain);
  if (!(ip instanceof ipaddr.IPv6)) return address;
  const groups = ip.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
