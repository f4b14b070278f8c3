import { isIPv6 } from 'node:net';

/**
 * Whom an address is counted for: an IPv4 address itself, an IPv6 address with its /64, because that is what one subscriber has, with
 * 2^64 addresses to go through.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1); // without the zone
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const left = head ? head.split(':') : [];
  if (tail === undefined) return prefix(left);
  const right = tail ? tail.split(':') : [];
  const rightLength = right.length + (tail.includes('.') ? 1 : 0); // an IPv4 address at the end stands for two groups
  return prefix([...left, ...Array.from({ length: 8 - left.length - rightLength }, () => '0'), ...right]);
}

const prefix = (groups: readonly string[]): string =>
  `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
