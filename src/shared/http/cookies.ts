import type { ServerResponse } from 'node:http';

/** Browsers accept cookies with this prefix only over https, from the host itself and for all paths (RFC 6265bis section 4.1.3). */
export const HOST_PREFIX = '__Host-';
export const SECURE_PREFIX = '__Secure-';

/** The name prefix of cookies for all paths; empty if the service uses plain http. */
export const hostPrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? HOST_PREFIX : '');

/** The name prefix of cookies for a single path; empty if the service uses plain http. */
export const securePrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? SECURE_PREFIX : '');

/** Names and values of a Cookie header, in order. A name may occur more than once, with values for different paths. */
export function parseCookies(header = ''): (readonly [name: string, value: string])[] {
  return header.split(';').flatMap((part) => {
    const pair = part.trim();
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
  });
}

/** The values of all cookies with this name. */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  parseCookies(header).flatMap(([found, value]) => (found === name ? [value] : []));

interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** The cookie is sent with this path and those below it. */
  readonly path: string;
  readonly maxAgeSeconds: number;
  /** Whether the service uses https. */
  readonly secure: boolean;
}

/** Sets a cookie that scripts cannot read. SameSite=Lax, because Strict would withhold it when another site redirects the browser back. */
export function appendCookie(response: ServerResponse, { name, value, path, maxAgeSeconds, secure }: OwnCookie): void {
  const attributes = `Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  response.appendHeader('set-cookie', `${name}=${value}; ${attributes}`);
}
