import type { IncomingMessage, ServerResponse } from 'node:http';

const PREFIX = 'framed_';

/** A browser takes cookies of such names only by https; `__Host-` only from the very host too, and for all paths (RFC 6265bis section 4.1.3). */
const [HOST_PREFIX, SECURE_PREFIX] = ['__Host-', '__Secure-'];
const PREFIXED = new RegExp(`^(${HOST_PREFIX}|${SECURE_PREFIX}|)(.*)$`, 's');

/** What the names of cookies for all paths begin with. */
export const hostPrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? HOST_PREFIX : '');

/** What the names of cookies for one path begin with. */
export const securePrefix = (publicUrl: string): string => (publicUrl.startsWith('https:') ? SECURE_PREFIX : '');

/** The prefix of the browser stays in front: `__Host-framed_session`. */
const framedName = (name: string): string => name.replace(PREFIXED, `$1${PREFIX}$2`);

/** The usual name of a framed cookie; null: it is none. */
function usualName(name: string): string | null {
  const [, prefix = '', rest = ''] = PREFIXED.exec(name) ?? [];
  return rest.startsWith(PREFIX) ? prefix + rest.slice(PREFIX.length) : null;
}

/**
 * A sign-in inside a frame keeps its own cookies beside those of the browser's tabs: they have names of their own, because a browser that
 * allows third-party cookies sends both kinds. oidc-provider sees them under the usual names.
 */
export function readFramedCookies(header = ''): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs
    .map((pair) => usualName(pair))
    .filter((pair) => pair !== null)
    .join('; ');
}

/** Whether a Cookie header carries the framed kind of a cookie. */
export const hasFramedCookie = (header: string | undefined, name: string): boolean =>
  (header ?? '').split(';').some((pair) => new RegExp(`^ *(${HOST_PREFIX}|${SECURE_PREFIX})?${PREFIX}${name}=`).test(pair));

/**
 * A line of Set-Cookie as a frame of another site needs it. Secure on http://localhost too: browsers take that, and SameSite=None
 * without it they refuse.
 */
export function frameCookie(line: string): string {
  const parts = line.split(';').map((part) => part.trim());
  const kept = parts.filter((part) => !/^(samesite=.*|secure|partitioned)$/i.test(part));
  return `${framedName(kept.join('; '))}; SameSite=None; Secure; Partitioned`;
}

const framedRequests = new WeakSet<IncomingMessage>();

/** From here on the request is one of a framed sign-in: it carries the frame's cookies and no others. */
export function useFramedCookies(request: IncomingMessage): void {
  request.headers.cookie = readFramedCookies(request.headers.cookie);
  framedRequests.add(request);
}

export const usesFramedCookies = (request: IncomingMessage): boolean => framedRequests.has(request);

/** Makes every cookie that the answer sets one of the frame; call it once, when all are set. */
export function frameCookies(response: ServerResponse): void {
  const lines = [response.getHeader('set-cookie') ?? []].flat().map(String);
  if (lines.length > 0) response.setHeader('set-cookie', lines.map(frameCookie));
}
