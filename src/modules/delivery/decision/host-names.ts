import { sourceHost } from '../../../shared/http/index.js';
import { parseUrl } from '../../../shared/validation/index.js';
import { appliedSecurity, type PlayerSettings, type SecuritySettings } from '../../player-configurations/index.js';

const NOT_IN_A_HOST = /[\s/?#@\\]/; // these characters delimit a path, a query or a user name

/** The host and port of the page that sends a request. */
export interface RefererPage {
  /** The host name as `hostName` returns it. */
  readonly host: string;
  /** The port, even if the URL omits it because it is the default of the scheme. */
  readonly port: string;
}

/** A host name in its comparable form: lower case, punycode, without port and final dot. Null: the text is not a host name. */
export function hostName(text: string): string | null {
  if (text === '' || NOT_IN_A_HOST.test(text)) return null;
  return webPage(`http://${text}`)?.host ?? null;
}

/** The page in a Referer or Origin header; null: the header does not name a web page (`null`, another scheme, not a URL). */
export function refererPage(header: string | null): RefererPage | null {
  return header === null ? null : webPage(header);
}

function webPage(text: string): RefererPage | null {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  const host = url.hostname.replace(/\.$/, '');
  return host === '' ? null : { host, port: url.port || (url.protocol === 'http:' ? '80' : '443') };
}

const PATTERN = /^(\*\.)?(.*?)(?::(\d{1,5}))?$/;
const ADDRESS = /^\[|^[\d.]+$/;

/** An entry of `matchReferer`: `example.org`, `*.example.org`, `10.0.0.5`, `[2001:db8::5]`, each with or without a port. */
interface HostPattern {
  /** Whether it matches all subdomains of the host, but not the host itself. */
  readonly isWildcard: boolean;
  readonly host: string;
  /** Null: any port. */
  readonly port: string | null;
  readonly isAddress: boolean;
}

/** Parses a pattern; null: it is invalid, or has subdomains of an IP address. */
function parseHostPattern(text: string): HostPattern | null {
  const [, star, name = '', port = null] = PATTERN.exec(text) ?? [];
  const host = hostName(name);
  if (host === null) return null;
  const isAddress = ADDRESS.test(host);
  return star && isAddress ? null : { isWildcard: star !== undefined, host, port: port && String(Number(port)), isAddress };
}

/** A list of allowed hosts: `example.com` is that host alone, `*.example.com` all its subdomains. */
export class HostPatterns {
  private readonly exact = new Set<string>();
  private readonly above = new Set<string>();

  /** Ignores invalid patterns, which match no page. */
  constructor(patterns: Iterable<string>) {
    for (const text of patterns) {
      const pattern = parseHostPattern(text);
      if (pattern) (pattern.isWildcard ? this.above : this.exact).add(keyOf(pattern.host, pattern.port));
    }
  }

  match({ host, port }: RefererPage): boolean {
    if (has(this.exact, host, port)) return true;
    if (this.above.size === 0) return false;
    for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      if (has(this.above, host.slice(dot + 1), port)) return true;
    }
    return false;
  }
}

const keyOf = (host: string, port: string | null): string => (port === null ? host : `${host}:${port}`);

const has = (names: ReadonlySet<string>, host: string, port: string): boolean => names.has(host) || names.has(keyOf(host, port));

/** Matches hosts for which `sourceHost` has a narrow source expression, which excludes IPv6 addresses. */
const NAME = /^[a-z\d._-]+$/;

/** The maximum length of the list; Node and other clients accept 16 KiB for all headers together. */
const MAX_CHARACTERS = 4_096;

interface Settings {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
}

/**
 * The pages that may show a link in a frame: those on the hosts of `matchReferer`, or any without this rule. A list that is too long for a header, or
 * that contains an IPv6 address, also allows any page here, and a host with `_` its siblings; the rule itself, which checks the Referer, still applies.
 */
export function frameAncestors(stored: Settings): readonly string[] | 'any' {
  const patterns = appliedSecurity(stored).matchReferer;
  if (!patterns) return 'any';
  const named = patterns.flatMap((pattern) => parseHostPattern(pattern) ?? []);
  if (named.some(({ host }) => host.startsWith('['))) return 'any';
  const sources = named.flatMap(({ isWildcard, host, port }) => {
    const source = sourceHost(host);
    const name = `${isWildcard && !source.startsWith('*') ? '*.' : ''}${source}:${port ?? '*'}`;
    return NAME.test(host) ? [`https://${name}`, `http://${name}`] : [];
  });
  return sources.join(' ').length > MAX_CHARACTERS ? 'any' : sources;
}
