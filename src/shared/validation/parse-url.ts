import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Parses an absolute URL; null if it is invalid. Does not use URL.canParse, which in Node 20 and 22 rejects an `ü` after some thousand calls (V8's
 * fast calls).
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Parses an IP address as Node would connect to it; null for any other text. ipaddr.js alone accepts more spellings (1.2.3, 010.0.0.1), and reads
 * `::1.2.3.4` as `::ffff:1.2.3.4`, so it is given hexadecimal groups only. A zone (`%eth0`) has a meaning on one machine only and is rejected.
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const family = isIP(text);
  if (family === 4) return ipaddr.IPv4.parse(text);
  return family === 6 && !text.includes('%') ? ipaddr.IPv6.parse(inHexadecimal(text)) : null;
}

/** Whether an address is a loopback address, including IPv4 addresses in IPv6 form (`::ffff:127.0.0.1`). */
export function isLoopback(text: string): boolean {
  const address = parseIp(text);
  return address !== null && ipaddr.process(address.toString()).range() === 'loopback';
}

const inHexadecimal = (address: string): string =>
  address.includes('.') ? (parseUrl(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '::') : address;
