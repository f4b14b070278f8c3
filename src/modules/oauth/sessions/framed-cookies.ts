import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOST_PREFIX, parseCookies, SECURE_PREFIX } from '../../../shared/http/index.js';

const PREFIX = 'framed_';

const PREFIXED = new RegExp(`^(${HOST_PREFIX}|${SECURE_PREFIX}|)(.*)$`, 's');

/** The prefix of the browser stays in front: `__Host-framed_session`. */
const framedName = (name: string): string => name.replace(PREFIXED, `$1${PREFIX}$2`);

/** The usual name of a framed cookie; null for another cookie. */
function usualName(name: string): string | null {
  const [, prefix = '', rest = ''] = PREFIXED.exec(name) ?? [];
  return rest.startsWith(PREFIX) ? prefix + rest.slice(PREFIX.length) : null;
}

/**
 * A sign-in inside a frame keeps its own cookies beside those of the browser's tabs: they have names of their own, because a browser that
 * allows third-party cookies sends both kinds. oidc-provider sees them under the usual names.
 */
export function readFramedCookies(header: string | undefined): string {
  return parseCookies(header)
    .flatMap(([name, value]) => usualName(name)?.concat('=', value) ?? [])
    .join('; ');
}

/** Whether a Cookie header carries the framed kind of a cookie. */
export const hasFramedCookie = (header: string | undefined, name: string): boolean =>
  parseCookies(header).some(([found]) => [name, HOST_PREFIX + name, SECURE_PREFIX + name].includes(usualName(found) ?? ''));

/** Whether a Cookie header carries a cookie of an own path, of either kind. */
export const hasPathCookie = (header: string | undefined, name: string): boolean =>
  hasFramedCookie(header, name) || parseCookies(header).some(([found]) => found === name || found === SECURE_PREFIX + name);

/**
 * A line of Set-Cookie as a frame of another site needs it. Secure on http://localhost too: browsers take that, and SameSite=None
 * without it they refuse.
 */
export function frameCookie(line: string): string {
  const parts = line.split(';').map((part) => part.trim());
  const kept = parts.filter((part) => !/^(samesite=.*|secure|partitioned)$/i.test(part));
  return `${framedName(kept.join('; '))}; SameSite=None; Secure; Partitioned`;
}

/** Leaves the request with the cookies of the frame only, under their usual names. */
export function useFramedCookies(request: IncomingMessage): void {
  request.headers.cookie = readFramedCookies(request.headers.cookie);
}

/** Makes every cookie that the answer sets one of the frame; call it once, when all are set. */
export function frameCookies(response: ServerResponse): void {
  const lines = [response.getHeader('set-cookie') ?? []].flat().map(String);
  if (lines.length > 0) response.setHeader('set-cookie', lines.map(frameCookie));
}
