import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Under https a name that plain http cannot set (RFC 6265bis section 4.1.3.1); `__Host-` would not allow the path. */
const cookieName = (secure: boolean): string => (secure ? '__Secure-saml_login' : 'saml_login');

interface MarkOptions {
  /** The only paths of ours that get the cookie are this one and those below. */
  readonly path: string;
  readonly secure: boolean;
  readonly seconds: number;
}

/**
 * Marks the browser with which a login begins, and answers the mark. A mark that it carries already stays, so that the same login, opened
 * again, may be finished by either request.
 */
export function markBrowser(request: IncomingMessage, response: ServerResponse, { path, secure, seconds }: MarkOptions): string {
  const mark = readMark(request, secure) ?? randomBytes(32).toString('base64url');
  // Lax: the browser comes from the identity provider, and by a redirect, so that Strict would withhold it.
  const attributes = `Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  response.appendHeader('set-cookie', `${cookieName(secure)}=${mark}; ${attributes}`);
  return mark;
}

/** The mark of a browser, or null. `secure`: the service is reached by https. */
export function readMark(request: IncomingMessage, secure: boolean): string | null {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === cookieName(secure) && /^[\w-]{43}$/.test(value)) return value;
  }
  return null;
}
