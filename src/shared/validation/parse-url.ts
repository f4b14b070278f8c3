import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';

/**
 * A host name has at most 253 characters as A-labels (RFC 1035 section 3.1), and some more in other spellings. Node.js takes quadratic time to convert
 * a name in any script: minutes for 200,000 characters.
 */
const MAX_HOST_CHARACTERS = 1_024;
/** What may be the host, with user information and port, once the characters are removed that the URL standard ignores. */
const HOST = /^[^:/\\?#]*:[/\\]*([^/\\?#]*)/;

/** Converts a domain name in any script to A-labels (RFC 5890 section 2.3.2.1); empty if it is invalid or longer than a name can be. */
export const toAsciiDomain = (name: string): string => (name.length > MAX_HOST_CHARACTERS ? '' : domainToASCII(name));

/**
 * Parses an absolute URL; null if it is invalid, or its host longer than a name can be. Does not use URL.canParse, which in Node 20 and 22 rejects an `ü` after some thousand calls (V8's
 * fast calls).
 */
export function parseUrl(text: string): URL | null {
  const [, host = ''] = HOST.exec(text.replaceAll(/[\t\n\r]/g, '')) ?? [];
  if (host.length > MAX_HOST_CHARACTERS) return null;
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
