import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * An absolute URL, or null. Not by URL.canParse: in Node 20 and 22 it refuses an `ü` once it has been called some thousand times (V8's fast
 * calls).
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * An IP address as Node connects to it; null for any other text. ipaddr.js alone would take more for an address (1.2.3, 010.0.0.1), and read
 * `::1.2.3.4` as `::ffff:1.2.3.4`, so that it only gets hexadecimal groups. A zone (`%eth0`) says something on one machine only and is refused.
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const family = isIP(text);
  if (family === 4) return ipaddr.IPv4.parse(text);
  return family === 6 && !text.includes('%') ? ipaddr.IPv6.parse(inHexadecimal(text)) : null;
}

/** Whether an address is one of this machine's own, IPv4 addresses in their IPv6 form (`::ffff:127.0.0.1`) included. */
export function isLoopback(text: string): boolean {
  const address = parseIp(text);
  return address !== null && ipaddr.process(address.toString()).range() === 'loopback';
}

const inHexadecimal = (address: string): string =>
  address.includes('.') ? (parseUrl(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '::') : address;
