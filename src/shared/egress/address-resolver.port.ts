/** Resolves the IPv4 and IPv6 addresses of a host, in the order in which they are to be tried. */
export abstract class AddressResolver {
  /** Rejects with an Error that has a `code` (ENOTFOUND) if the name has no address. */
  abstract resolve(hostname: string): Promise<readonly string[]>;
}
