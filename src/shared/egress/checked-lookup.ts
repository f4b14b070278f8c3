import { isIP, type LookupFunction } from 'node:net';
import type { AddressResolver } from './address-resolver.port.js';
import { classifyAddress } from './classify-address.js';
import { EgressError, EgressFailure } from './egress-failure.js';
import type { EgressAllowlist } from './egress-target.js';

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
