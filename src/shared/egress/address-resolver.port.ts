/** Finds the addresses of a host, IPv4 and IPv6 alike, in the order in which they are to be tried. */
export abstract class AddressResolver {
  /** Rejects with an Error that has a `code` (ENOTFOUND) when the name has no address. */
  abstract resolve(hostname: string): Promise<readonly string[]>;
}
