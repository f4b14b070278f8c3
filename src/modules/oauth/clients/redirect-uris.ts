import { sourceHost } from '../../../shared/http/index.js';
import { BROWSER_SCHEMES, originOf, parseUrl } from '../../../shared/validation/index.js';
import type { ClientType } from './client.entity.js';

/** Hosts of the user's own machine, on which native applications listen for the response (RFC 8252 section 7.3). */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns why a redirect URI cannot be registered, as the predicate of a sentence about it, or null. Refuses what oidc-provider would refuse when
 * the client is used, and what never matches, because redirect URIs are compared character by character.
 */
export function findRedirectUriProblem(uri: string, type: ClientType | undefined): string | null {
  if (!parseUrl(uri) || uri.includes('#')) return 'must be an absolute URI without fragment';
  if (/[^\x21-\x7e]/.test(uri)) return 'must be written in printable ASCII without spaces';
  if (uri.includes('*')) return 'must not contain a wildcard: redirect URIs are compared character by character';
  const { protocol, hostname } = new URL(uri);
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/\\]/i.test(uri)) return 'must be an absolute URI without fragment';
  if (type === undefined) return null;
  return type === 'web' ? findWebProblem(protocol) : findNativeProblem(protocol, hostname);
}

const findWebProblem = (protocol: string): string | null =>
  /^https?:$/.test(protocol) ? null : 'must begin with https:// or http://, because the client is of type web';

/** Permits a private scheme, a claimed https URI, or http on the user's own machine (RFC 8252 section 7). */
function findNativeProblem(protocol: string, hostname: string): string | null {
  const isLoopback = LOOPBACK.includes(hostname);
  if (protocol === 'http:' && !isLoopback)
    return `may begin with http:// on ${LOOPBACK.join(', ')} only, because the client is not of type web`;
  if (protocol === 'https:' && isLoopback) return `must begin with http:// on ${hostname}, because the client is not of type web`;
  return BROWSER_SCHEMES.includes(protocol) ? `must not use the scheme ${protocol}` : null;
}

/** The pages that may frame the sign-in of a client, as sources of a Content-Security-Policy: the origins of its redirect URIs. */
export function frameAncestors(redirectUris: readonly string[]): string[] {
  const origins = redirectUris.map(originOf).filter((origin) => origin !== null);
  return [...new Set(origins.map(toSource))];
}

/** Whether every page that may frame the sign-in has the origin of a redirect URI; a wildcard also permits other pages. */
export const hasExactAncestors = (redirectUris: readonly string[]): boolean =>
  frameAncestors(redirectUris).every((source) => !source.includes('*'));

function toSource(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  return `${protocol}//${sourceHost(hostname)}${port && `:${port}`}`;
}

/**
 * Adds the response to the query of a redirect URI (RFC 6749 section 4.1.2), which otherwise keeps its bytes: `?x=a%20b` does not become `?x=a+b`.
 * A parameter of the URI that has the name of one of the response is left out.
 */
export function answerUrl(redirectUri: string, answer: Readonly<Record<string, unknown>>): string {
  const at = redirectUri.indexOf('?');
  const [base, query] = at === -1 ? [redirectUri, ''] : [redirectUri.slice(0, at), redirectUri.slice(at + 1)];
  const isKept = (parameter: string) => ![...new URLSearchParams(parameter).keys()].some((name) => Object.hasOwn(answer, name));
  const own = query === '' ? [] : query.split('&').filter(isKept);
  const added = Object.entries(answer).map(([name, value]) => new URLSearchParams([[name, String(value)]]).toString());
  const parameters = [...own, ...added].join('&');
  return parameters === '' ? redirectUri : `${base}?${parameters}`;
}

/**
 * Returns an address that oidc-provider built from a registered URI and its response, with the bytes of the URI, because the library writes the
 * URI's query anew. Null: the address was not built from this URI.
 */
export function restoreRegisteredUri(address: string, registered: string): string | null {
  const [built, own] = [parseUrl(address), parseUrl(registered)];
  if (!built || !own || withoutQuery(built) !== withoutQuery(own)) return null;
  if (built.hash !== '') return `${registered}${built.hash}`;
  if (![...own.searchParams.keys()].every((name) => built.searchParams.has(name))) return null;
  const isAdded = ([name, value]: [string, string]) => !own.searchParams.getAll(name).includes(value);
  return answerUrl(registered, Object.fromEntries([...built.searchParams].filter(isAdded)));
}

const withoutQuery = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;
