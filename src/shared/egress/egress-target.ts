import { isIP, type LookupFunction } from 'node:net';
import { parseUrl } from '../validation/index.js';
import type { AddressResolver } from './address-resolver.port.js';
import { classifyAddress } from './classify-address.js';
import { EgressError, EgressFailure } from './egress-failure.js';

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

/**
 * How a connection finds its address: the host is resolved once, every address of it is checked (if one is not public, none is used), and
 * the connection goes to exactly these, so that a second answer of the name server changes nothing. A connection that is kept stays with the
 * address that was checked when it was opened.
 */
export function checkedLookup(resolver: AddressResolver, allowlist: EgressAllowlist): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(hostname, resolver, allowlist).then(
      (addresses) => (options.all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family)),
      (error: Error) => callback(error, []),
    );
  };
}

async function checkedAddresses(hostname: string, resolver: AddressResolver, allowlist: EgressAllowlist) {
  const addresses = await resolved(hostname, resolver);
  for (const address of allowlist.has(hostname) ? [] : addresses) {
    const blocked = classifyAddress(address);
    if (blocked) throw new EgressError(new EgressFailure('blocked address', `${hostname} is ${address}, ${blocked}`));
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

async function resolved(hostname: string, resolver: AddressResolver): Promise<readonly string[]> {
  const addresses = await resolver.resolve(hostname).catch((error: NodeJS.ErrnoException) => {
    throw new EgressError(new EgressFailure('dns', `${hostname} could not be resolved (${error.code ?? 'no reason known'})`));
  });
  if (addresses.length === 0) throw new EgressError(new EgressFailure('dns', `${hostname} has no address`));
  return addresses;
}
