import { parseUrl } from '../validation/index.js';

/** Hosts that the operator allows although they are private, or reached by plain http (EGRESS_ALLOWLIST). */
export class EgressAllowlist {
  private readonly hosts: ReadonlySet<string>;

  /** Names and addresses as people write them: in any case and script, IPv6 with or without brackets. What is no host counts as none. */
  constructor(hosts: readonly string[]) {
    this.hosts = new Set(hosts.map(hostKey).filter((key) => key !== ''));
  }

  /** `hostname` as a parsed URL or a resolver has it. An allowed name is allowed whatever it stands for; an address allows only itself. */
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
