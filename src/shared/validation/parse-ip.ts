import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from './parse-url.js';

/**
 * An IP address as Node connects to it; null: the text is none. ipaddr.js alone would take more for an address (1.2.3, 010.0.0.1), and read
 * `::1.2.3.4` as `::ffff:1.2.3.4`, so that it only gets hexadecimal groups. A zone (`%eth0`) says something on one machine only and is refused.
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const family = isIP(text);
  if (family === 4) return ipaddr.IPv4.parse(text);
  return family === 6 && !text.includes('%') ? ipaddr.IPv6.parse(inHexadecimal(text)) : null;
}

const inHexadecimal = (address: string): string =>
  address.includes('.') ? (parseUrl(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '::') : address;
