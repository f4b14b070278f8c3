import type { ServerResponse } from 'node:http';

/** Browsers accept cookies of such names over https only; `__Host-` also only from the host itself and for all paths (RFC 6265bis section 4.1.3). */
export const HOST_PREFIX = '__Host-';
export const SECURE_PREFIX = '__Secure-';

/** The prefix for names of cookies that are sent with all paths; empty where the service is reached by plain http. */
export const hostPrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? HOST_PREFIX : '');

/** The prefix for names of cookies that are sent with one path. */
export const securePrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? SECURE_PREFIX : '');

/** Names and values of a Cookie header, in its order. A name may occur more than once, with values for different paths. */
export function parseCookies(header = ''): (readonly [name: string, value: string])[] {
  return header.split(';').flatMap((part) => {
    const pair = part.trim();
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
  });
}

/** The values of all cookies of a name. */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  parseCookies(header).flatMap(([found, value]) => (found === name ? [value] : []));

interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** The only paths of the service that get the cookie are this one and those below. */
  readonly path: string;
  readonly maxAgeSeconds: number;
  /** Whether the service is reached by https. */
  readonly secure: boolean;
}

/** Sets a cookie that scripts cannot read. Lax: Strict would withhold it when another site leads the browser back by a redirect. */
export function appendCookie(response: ServerResponse, { name, value, path, maxAgeSeconds, secure }: OwnCookie): void {
  const attributes = `Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  response.appendHeader('set-cookie', `${name}=${value}; ${attributes}`);
}
