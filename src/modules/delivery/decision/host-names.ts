import { parseUrl } from '../../../shared/validation/index.js';

const NOT_IN_A_HOST = /[\s/?#@\\]/; // what would make the rest of it a path, a query or a user's name

/** A host in the one form in which hosts compare: lower case, punycode, without port and final dot. Null: it is none. */
export function hostName(text: string): string | null {
  if (text === '' || NOT_IN_A_HOST.test(text)) return null;
  return hostOfUrl(`http://${text}`);
}

/** The host of the page that a Referer or Origin header names; null: it names none (`null`, another scheme, no URL). */
export function refererHost(header: string | null): string | null {
  return header === null ? null : hostOfUrl(header);
}

function hostOfUrl(text: string): string | null {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.hostname.replace(/\.$/, '') || null;
}

/** Which hosts an allow-list of referers names: `example.com` is that host alone, `*.example.com` all below it. */
export class HostPatterns {
  private readonly exact = new Set<string>();
  private readonly above = new Set<string>();

  /** Patterns that cannot be read are left out: no host is in them. */
  constructor(patterns: Iterable<string>) {
    for (const pattern of patterns) {
      const isWildcard = pattern.startsWith('*.');
      const host = hostName(isWildcard ? pattern.slice(2) : pattern);
      if (host !== null) (isWildcard ? this.above : this.exact).add(host);
    }
  }

  match(host: string): boolean {
    if (this.exact.has(host)) return true;
    if (this.above.size === 0) return false;
    for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      if (this.above.has(host.slice(dot + 1))) return true;
    }
    return false;
  }
}
