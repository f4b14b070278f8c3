import type { Delivered } from './statistics.repository.js';

/** Hosts of a link that a process counts separately on a day: more than sites embed a film, while invented ones must not fill the table. */
const MAX_HOSTS = 100;
/** Links whose hosts are remembered; each takes a few hundred bytes. */
const MAX_LINKS = 10_000;
/** The characters of a host name (RFC 1035 section 2.3.4). */
const MAX_CHARACTERS = 253;

/** The key of all hosts that are not counted separately; no host name has this form. */
const OTHER_HOSTS = '(other)';

/** Limits how many hosts of pages a link has in statistics: anyone can send any Referer. */
export class KnownHosts {
  private readonly hosts = new Map<string, Set<string>>();

  /** The host under which a delivery on a day is counted. */
  hostFor({ embedLinkId, mediaContainerId, host }: Delivered, day: string): string {
    if (host === '') return host;
    if (host.length > MAX_CHARACTERS) return OTHER_HOSTS;
    const key = `${day} ${embedLinkId} ${mediaContainerId}`;
    let known = this.hosts.get(key);
    if (!known) {
      if (this.hosts.size >= MAX_LINKS) this.hosts.clear();
      known = new Set();
      this.hosts.set(key, known);
    }
    if (known.has(host)) return host;
    if (known.size >= MAX_HOSTS) return OTHER_HOSTS;
    known.add(host);
    return host;
  }
}
