import { isSecret } from '../../../shared/logging/index.js';
import { isObject } from '../../../shared/validation/index.js';
import { PROBLEM_CODES } from '../../media/index.js';
import { within } from './json-rules.js';

/** The text that responses show in place of a secret. */
export const MASK = '********';

/** Further names of URL parameters that grant access. */
const ACCESS_PARAMETERS = new Set(['key', 'sig', 'signature', 'auth', 'pass']);

/** Returns the replacement of a secret; `path` is the member that contains it, in dot notation. */
export type ReplaceSecret = (secret: unknown, path: string) => unknown;

const isProblemCode = (value: unknown): boolean => PROBLEM_CODES.some((code) => code === value);

/** The sent payload, with masks in place of values that have the name of a secret. The `code` of a problem of a file is not one of OAuth. */
export const maskPayload = (payload: unknown): unknown =>
  replaceInMembers(payload, '', (secret, path) => (path === 'payload.code' && isProblemCode(secret) ? secret : MASK));

/** Replaces the values of members that have the name of a secret, at any depth and as a whole; null stays. */
export function replaceInMembers(value: unknown, path: string, replace: ReplaceSecret): unknown {
  if (Array.isArray(value)) return value.map((element: unknown, index) => replaceInMembers(element, within(path, index), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const hidden = isSecret(name) && member !== null;
      return [name, hidden ? replace(member, within(path, name)) : replaceInMembers(member, within(path, name), replace)];
    }),
  );
}

/** Replaces secrets in the query of a URL. The text is edited in place, because serialising a parsed query would encode its placeholders. */
export function replaceInQuery(url: string, at: string, replace: ReplaceSecret): string {
  const [, before = '', query, after = ''] = /^([^?#]*)\?([^#]*)(#.*)?$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const count = new Map<string, number>();
  const parts = query.split('&').map((part) => {
    const [name = '', ...rest] = part.split('=');
    const nth = count.get(name) ?? 0;
    count.set(name, nth + 1);
    return rest.length > 0 && grantsAccess(name) ? `${name}=${replace(rest.join('='), `${at}.${name}.${nth}`)}` : part;
  });
  return `${before}?${parts.join('&')}${after}`;
}

function grantsAccess(encodedName: string): boolean {
  const name = decode(encodedName);
  return isSecret(name) || ACCESS_PARAMETERS.has(name.toLowerCase());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
