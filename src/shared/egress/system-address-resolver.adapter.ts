import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { SharedWork } from '../shared-work.js';
import { AddressResolver } from './address-resolver.port.js';
import type { EgressAllowlist } from './egress-target.js';

/** For the first attempt of one query to one name server; each server is tried twice. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** For tests. */
interface Options {
  readonly hostsFile?: string;
  /** `127.0.0.1:53`; default: the servers of the system. */
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

/**
 * Resolves names as this machine does, but never passes customers' names to getaddrinfo, which occupies a thread until a
 * name server responds: a process has few threads, so two dead domains would block all lookups. Hosts that the operator allows are still resolved
 * by the system, because it knows local names.
 */
export class SystemAddressResolver extends AddressResolver {
  private readonly underWay = new SharedWork<readonly string[], string>();

  constructor(
    private readonly allowlist: EgressAllowlist,
    private readonly options: Options = {},
  ) {
    super();
  }

  /** Resolves a host; concurrent lookups of one name share the result. */
  async resolve(hostname: string): Promise<readonly string[]> {
    return await this.underWay.get(async () => await this.ask(hostname), hostname);
  }

  private async ask(hostname: string): Promise<readonly string[]> {
    if (this.allowlist.has(hostname)) return await askSystem(hostname);
    const known = await readHostsFile(hostname, this.options.hostsFile ?? '/etc/hosts');
    if (known.length > 0) return known;
    return await askNameServers(hostname, this.options).catch(async (error: NodeJS.ErrnoException) => {
      // No name server listens at the configured address, so only the system knows where to send queries.
      if (error.code === 'ECONNREFUSED') return await askSystem(hostname);
      throw error;
    });
  }
}

const askSystem = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Resolves a host by DNS, IPv4 first, without /etc/hosts and search domains. Any number of queries only wait for the network. The
 * system's name servers are read each time, because they change when a machine changes networks. Rejects with an Error with a `code` if the host has
 * no address.
 */
async function askNameServers(hostname: string, { servers, timeoutMs = TIMEOUT_MS }: Options): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []));
  // ENODATA only means that there is no address of this family.
  const error = errors.find(({ code }) => code !== 'ENODATA') ?? errors[0];
  if (addresses.length === 0 && error) throw error;
  return addresses;
}

/** The addresses of a host in /etc/hosts (or `file`); an empty list if there is no such file. */
async function readHostsFile(hostname: string, file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const wanted = hostname.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}
