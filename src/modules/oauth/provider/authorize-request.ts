import type { IncomingHttpHeaders } from 'node:http';
import { oauthErrors } from '../oauth.errors.js';
import { DEFAULT_SCOPE } from '../scopes.js';

/** Parameters of ours that oidc-provider carries through login and consent. */
export const EXTRA_AUTHORIZE_PARAMS = ['device', 'env', 'platform', 'version', 'legacy_resource', 'offline'] as const;

/**
 * Translates the query of GET /v4/authorize into what oidc-provider understands: legacy spellings (`clientId`, `r`, `u`), the default scope,
 * a `code_challenge_method` without a challenge, and `offline_access`, which oidc-provider would drop without `prompt=consent`.
 * @throws DomainError 400 `client_id_mismatch`
 */
export function translateAuthorizeQuery(query: URLSearchParams, deviceHeader: string | undefined): URLSearchParams {
  const result = new URLSearchParams(query);
  for (const name of ['offline', 'legacy_resource']) result.delete(name);
  translateClientId(result);
  translateResource(result);
  translateScope(result);
  if (!result.get('code_challenge')) result.delete('code_challenge_method');
  if (deviceHeader && !result.has('device')) result.set('device', deviceHeader);
  return result;
}

function translateClientId(query: URLSearchParams): void {
  const legacy = query.get('clientId');
  const current = query.get('client_id');
  if (legacy && current && legacy !== current) {
    throw oauthErrors.client_id_mismatch('client_id and clientId name different applications; send client_id only.');
  }
  if (legacy && !current) query.set('client_id', legacy);
  query.delete('clientId');
}

/** `resource` wins over `r`, then `u`. Only an absolute URI names an audience; the legacy `TYPE:ID` form is kept and changes nothing. */
function translateResource(query: URLSearchParams): void {
  const values = [query.getAll('resource'), query.getAll('r'), query.getAll('u')].find((found) => found.length > 0) ?? [];
  for (const name of ['resource', 'r', 'u']) query.delete(name);
  for (const value of values.filter(isAudience)) query.append('resource', value);
  const legacy = values.find((value) => value && !isAudience(value));
  if (legacy) query.set('legacy_resource', legacy);
}

/** An absolute URI with an authority (RFC 8707 section 2); `media:42` is one by its syntax, but a legacy value by its meaning. */
export const isAudience = (value: string): boolean => URL.canParse(value) && /^[a-z][a-z0-9+.-]*:\/\//i.test(value);

function translateScope(query: URLSearchParams): void {
  if (query.getAll('scope').length > 1) return; // a repeated parameter is refused as such
  const names = (query.get('scope') ?? '').split(' ').filter(Boolean);
  const remaining = names.filter((name) => name !== 'offline_access');
  if (remaining.length < names.length) query.set('offline', '1');
  query.set('scope', (remaining.length > 0 ? remaining : [DEFAULT_SCOPE]).join(' '));
}

/** The value of `x-service-device` under any prefix. */
export function deviceHeader(headers: IncomingHttpHeaders, prefixes: readonly string[]): string | undefined {
  for (const prefix of prefixes) {
    const value = headers[`${prefix}-device`];
    if (typeof value === 'string' && value) return value;
  }
  return undefined;
}
