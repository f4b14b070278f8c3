import { Resolver } from 'node:dns/promises';

/** Of one question to one name server, when it is put for the first time; each of them is asked twice. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Whom to ask and how long to wait, for tests. */
export interface NameServerOptions {
  /** `127.0.0.1:53`; default: those of the system. */
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

/**
 * The addresses of a host by DNS, IPv4 first, without /etc/hosts and search domains. Questions wait for nothing but the network, however many
 * there are. The name servers of the system are read each time, because they change under a machine that moves. Rejects with an Error that
 * has a `code` when there is no address.
 */
export async function askNameServers(hostname: string, { servers, timeoutMs = TIMEOUT_MS }: NameServerOptions): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []));
  // ENODATA only says that there is none of this kind.
  const error = errors.find(({ code }) => code !== 'ENODATA') ?? errors[0];
  if (addresses.length === 0 && error) throw error;
  return addresses;
}
