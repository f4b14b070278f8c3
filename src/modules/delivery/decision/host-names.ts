import { parseUrl } from '../../../shared/validation/index.js';

const NOT_IN_A_HOST = /[\s/?#@\\]/; // what would make the rest of it a path, a query or a user's name

/** The page that a request comes from, as far as rules compare it. */
interface RefererPage {
  /** In the form in which hosts compare. */
  readonly host: string;
  /** Also where the address leaves out the default of its scheme. */
  readonly port: string;
}

/** A host in the one form in which hosts compare: lower case, punycode, without port and final dot. Null: it is none. */
export function hostName(text: string): string | null {
  if (text === '' || NOT_IN_A_HOST.test(text)) return null;
  return webPage(`http://${text}`)?.host ?? null;
}

/** The page that a Referer or Origin header names; null: it names none (`null`, another scheme, no URL). */
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
  /** Whether it names all hosts below this one, and not this one. */
  readonly isWildcard: boolean;
  readonly host: string;
  /** Null: on any port. */
  readonly port: string | null;
  readonly isAddress: boolean;
}

/** Null: it cannot be read, or asks for what is below an IP address. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, star, name = '', port = null] = PATTERN.exec(text) ?? [];
  const host = hostName(name);
  if (host === null) return null;
  const isAddress = ADDRESS.test(host);
  return star && isAddress ? null : { isWildcard: star !== undefined, host, port: port && String(Number(port)), isAddress };
}

/** Which pages an allow-list of referers names: `example.com` is that host alone, `*.example.com` all below it. */
export class HostPatterns {
  private readonly exact = new Set<string>();
  private readonly above = new Set<string>();

  /** Patterns that cannot be read are left out: no page matches them. */
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
