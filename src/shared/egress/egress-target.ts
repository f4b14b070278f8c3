import { isIP } from 'node:net';
import { parseUrl } from '../validation/index.js';
import { classifyAddress } from './classify-address.js';
import type { EgressAllowlist } from './egress-allowlist.js';
import { EgressFailure } from './egress-failure.js';

/** Where a request goes. */
export interface EgressTarget {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** For people: a name or an address, without port and brackets. */
  readonly host: string;
}

/**
 * Reads a URL as the connection will take it: every spelling of an address (decimal, octal, hexadecimal, short, full-width, percent-encoded)
 * is the one that it stands for, and is judged here, because nobody looks up the name of an address.
 */
export function egressTarget(text: string, allowlist: EgressAllowlist): EgressTarget | EgressFailure {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) return new EgressFailure('invalid url', 'the URL is none that begins with https://');
  if (url.username !== '' || url.password !== '') return new EgressFailure('invalid url', 'the URL carries a user name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowlist.has(url.hostname)) {
    if (url.protocol === 'http:') return new EgressFailure('plain http', `${host} is asked by https only`);
    const blocked = isIP(host) ? classifyAddress(host) : null;
    if (blocked) return new EgressFailure('blocked address', `${host} is ${blocked}`);
  }
  return { origin: url.origin, path: url.pathname + url.search, host };
}
