import { lookup } from 'node:dns/promises';

/** Finds the addresses of a host, IPv4 and IPv6 alike, in the order in which they are to be tried. */
export abstract class AddressResolver {
  /** Rejects with an Error that has a `code` (ENOTFOUND) when there are none. */
  abstract resolve(hostname: string): Promise<readonly string[]>;
}

/** As every program of the system finds them, /etc/hosts included. Who asks for a name that is being looked up gets the same answer. */
export class SystemAddressResolver extends AddressResolver {
  private readonly underWay = new Map<string, Promise<readonly string[]>>();

  async resolve(hostname: string): Promise<readonly string[]> {
    const known = this.underWay.get(hostname);
    if (known) return await known;
    const addresses = this.ask(hostname).finally(() => this.underWay.delete(hostname));
    this.underWay.set(hostname, addresses);
    return await addresses;
  }

  private async ask(hostname: string): Promise<readonly string[]> {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  }
}
