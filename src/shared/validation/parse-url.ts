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

/** Schemes whose URIs the browser itself runs or shows. Their pages have no origin: browsers send `Origin: null`. */
export const BROWSER_SCHEMES: readonly string[] = ['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:'];

/**
 * Returns the origin of a URI as browsers send it (`https://app.example.org`, `capacitor://localhost`); null without one. A custom scheme has an
 * origin if its URI names a host, although the URL standard treats it as opaque: the web views that serve pages by such a scheme send it.
 */
export function originOf(uri: string): string | null {
  const url = parseUrl(uri);
  if (!url || BROWSER_SCHEMES.includes(url.protocol)) return null;
  if (url.origin !== 'null') return url.origin;
  return url.host === '' ? null : `${url.protocol}//${url.host}`;
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
