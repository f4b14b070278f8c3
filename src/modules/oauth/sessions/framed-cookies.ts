import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOST_PREFIX, parseCookies, SECURE_PREFIX } from '../../../shared/http/index.js';

const PREFIX = 'framed_';

const PREFIXED = new RegExp(`^(${HOST_PREFIX}|${SECURE_PREFIX}|)(.*)$`, 's');

/** The name of a framed cookie; the prefix that browsers interpret stays in front: `__Host-framed_session`. */
const framedName = (name: string): string => name.replace(PREFIXED, `$1${PREFIX}$2`);

/** The usual name of a framed cookie; null for other cookies. */
function usualName(name: string): string | null {
  const [, prefix = '', rest = ''] = PREFIXED.exec(name) ?? [];
  return rest.startsWith(PREFIX) ? prefix + rest.slice(PREFIX.length) : null;
}

/**
 * Returns the cookies of a sign-in inside a frame, under their usual names. They are separate from those of the browser's tabs and have other
 * names, because a browser that allows third-party cookies sends both kinds.
 */
export function readFramedCookies(header: string | undefined): string {
  return parseCookies(header)
    .flatMap(([name, value]) => usualName(name)?.concat('=', value) ?? [])
    .join('; ');
}

/** Whether a Cookie header contains the framed variant of a cookie. */
export const hasFramedCookie = (header: string | undefined, name: string): boolean =>
  parseCookies(header).some(([found]) => [name, HOST_PREFIX + name, SECURE_PREFIX + name].includes(usualName(found) ?? ''));

/** Whether a Cookie header contains a cookie that is bound to a path, in either variant. */
export const hasPathCookie = (header: string | undefined, name: string): boolean =>
  hasFramedCookie(header, name) || parseCookies(header).some(([found]) => found === name || found === SECURE_PREFIX + name);

/**
 * Converts a line of Set-Cookie for a frame on another site. It is Secure even on http://localhost: browsers accept that, and refuse
 * SameSite=None without it.
 */
export function frameCookie(line: string): string {
  const parts = line.split(';').map((part) => part.trim());
  const kept = parts.filter((part) => !/^(samesite=.*|secure|partitioned)$/i.test(part));
  return `${framedName(kept.join('; '))}; SameSite=None; Secure; Partitioned`;
}

/** Replaces the cookies of the request by those of the frame, under their usual names. */
export function useFramedCookies(request: IncomingMessage): void {
  request.headers.cookie = readFramedCookies(request.headers.cookie);
}

/** Converts all cookies of the response to cookies of the frame; must be called once, after all are set. */
export function frameCookies(response: ServerResponse): void {
  const lines = [response.getHeader('set-cookie') ?? []].flat().map(String);
  if (lines.length > 0) response.setHeader('set-cookie', lines.map(frameCookie));
}
