import { knownScopes, withIncludedScopes } from '../scopes.js';
import { TokenRequestError } from './token-request-error.js';

/** `scope` may only narrow what was granted, `api` to `api:read` too; null when it was not sent. Throws `invalid_scope`. */
export function narrowScope(requested: string | undefined, granted: string): string | null {
  if (requested === undefined) return null;
  const allowed = new Set(withIncludedScopes(granted));
  const wider = requested.split(' ').filter((name) => name && !allowed.has(name));
  if (wider.length > 0) throw new TokenRequestError('invalid_scope', `not granted: ${wider.join(' ')}`);
  return knownScopes(requested).join(' ');
}

/** `resource` may only narrow what was granted, to one audience; oidc-provider would find out after it has consumed the code. */
export function checkResource(requested: string | string[] | undefined, granted: unknown): void {
  if (requested === undefined || requested.length === 0) return;
  const allowed = [granted].flat();
  if (Array.isArray(requested) && requested.length > 1) throw new TokenRequestError('invalid_target', 'ask for one resource at a time');
  if (!allowed.includes([requested].flat()[0])) throw new TokenRequestError('invalid_target', 'this resource was not granted');
}
