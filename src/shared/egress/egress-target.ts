import { isIP, type LookupFunction } from 'node:net';
import { parseUrl } from '../validation/index.js';
import type { AddressResolver } from './address-resolver.port.js';
import { classifyAddress } from './classify-address.js';
import { EgressError, EgressFailure } from './egress-failure.js';

/** The destination of a request. */
export interface EgressTarget {
  readonly origin: string;
  /** Including the query. */
  readonly path: string;
  /** For messages: a name or an address, without port and brackets. */
  readonly host: string;
}

/**
 * Parses a URL as the connection does: every spelling of an address (decimal, octal, hexadecimal, short, full-width, percent-encoded) becomes
 * the address itself, which is checked here, because addresses are not passed to a resolver.
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

/** Hosts that the operator allows although they are private, or are requested over plain http (EGRESS_ALLOWLIST). */
export class EgressAllowlist {
  private readonly hosts: ReadonlySet<string>;

  /** Accepts names and addresses in any case and script, IPv6 with or without brackets. Entries that are not hosts are ignored. */
  constructor(hosts: readonly string[]) {
    this.hosts = new Set(hosts.map(hostKey).filter((key) => key !== ''));
  }

  /** `hostname` in the form of a parsed URL or a resolver. An allowed name is allowed with any address; an address only allows itself. */
  has(hostname: string): boolean {
    return this.hosts.has(withoutFinalDot(hostname));
  }
}

/** Normalizes a host as `URL.hostname` does, so that each spelling results in the same text. */
function hostKey(host: string): string {
  const inUrl = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return withoutFinalDot(parseUrl(`http://${inUrl}/`)?.hostname ?? '');
}

/** Removes the final dot, which only marks the name as complete. */
const withoutFinalDot = (hostname: string): string => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname);

/**
 * Returns the lookup function of a connection: it resolves the host once, checks every address (if one is not public, none is used), and
 * connects to exactly these, so that a different later DNS response changes nothing. A kept-alive connection stays with the address that was
 * checked when it was opened.
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
