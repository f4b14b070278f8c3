import { lookup } from 'node:dns/promises';
import { AddressResolver } from './address-resolver.js';
import { askNameServers, type NameServerOptions } from './ask-name-servers.js';
import type { EgressAllowlist } from './egress-allowlist.js';
import { readHostsFile } from './read-hosts-file.js';

interface Options extends NameServerOptions {
  readonly hostsFile?: string;
}

/**
 * Looks names up as this machine does, but names of customers never by the system's own function (getaddrinfo): it occupies a thread for as
 * long as a name server stays silent, and a process has few, so that two dead domains would hold up everybody's lookups. Hosts that the
 * operator allows are asked of the system all the same, which knows local names.
 */
export class SystemAddressResolver extends AddressResolver {
  private readonly underWay = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly allowlist: EgressAllowlist,
    private readonly options: Options = {},
  ) {
    super();
  }

  /** Who asks for a name that is being looked up gets the same answer. */
  async resolve(hostname: string): Promise<readonly string[]> {
    const known = this.underWay.get(hostname);
    if (known) return await known;
    const addresses = this.ask(hostname).finally(() => this.underWay.delete(hostname));
    this.underWay.set(hostname, addresses);
    return await addresses;
  }

  private async ask(hostname: string): Promise<readonly string[]> {
    if (this.allowlist.has(hostname)) return await askSystem(hostname);
    const known = await readHostsFile(hostname, this.options.hostsFile ?? '/etc/hosts');
    if (known.length > 0) return known;
    return await askNameServers(hostname, this.options).catch(async (error: NodeJS.ErrnoException) => {
      // Nobody listens where name servers are said to be: on such a machine only the system knows whom to ask.
      if (error.code === 'ECONNREFUSED') return await askSystem(hostname);
      throw error;
    });
  }
}

const askSystem = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
