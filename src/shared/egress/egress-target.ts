import { isIP } from 'node:net';
import { parseUrl } from '../validation/index.js';
import { classifyAddress } from './classify-address.js';
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
 * Reads a URL as the connection will: every spelling of an address (decimal, octal, hexadecimal, short, full-width, percent-encoded) becomes
 * the address itself, which is checked here, because no resolver is asked for it.
 */
export function egressTarget(text: string, allowlist: EgressAllowlist): EgressTarget | EgressFailure {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) return new EgressFailure('invalid url', 'the URL must start with https://');
  if (url.username !== '' || url.password !== '') return new EgressFailure('invalid url', 'the URL carries a user name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowlist.has(url.hostname)) {
    if (url.protocol === 'http:') return new EgressFailure('plain http', `${host} must be called by https`);
    const blocked = isIP(host) ? classifyAddress(host) : null;
    if (blocked) return new EgressFailure('blocked address', `${host} is ${blocked}`);
  }
  return { origin: url.origin, path: url.pathname + url.search, host };
}

/** Hosts that the operator allows although they are private, or reached by plain http (EGRESS_ALLOWLIST). */
export class EgressAllowlist {
  private readonly hosts: ReadonlySet<string>;

  /** Names and addresses in any case and script, IPv6 with or without brackets. Entries that are not a host are ignored. */
  constructor(hosts: readonly string[]) {
    this.hosts = new Set(hosts.map(hostKey).filter((key) => key !== ''));
  }

  /** `hostname` as a parsed URL or a resolver has it. An allowed name is allowed whatever its addresses; an address allows only itself. */
  has(hostname: string): boolean {
    return this.hosts.has(withoutFinalDot(hostname));
  }
}

/** As `URL.hostname` writes it, so that each spelling of a host is the same text. */
function hostKey(host: string): string {
  const inUrl = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return withoutFinalDot(parseUrl(`http://${inUrl}/`)?.hostname ?? '');
}

/** It only says that the name is complete. */
const withoutFinalDot = (hostname: string): string => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname);
