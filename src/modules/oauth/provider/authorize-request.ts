import type { IncomingHttpHeaders } from 'node:http';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { parseUrl } from '../../../shared/validation/index.js';
import type { SingleSignOnService } from '../../saml/index.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import { oauthErrors } from '../oauth.errors.js';
import { DEFAULT_SCOPE, knownScopes } from '../scopes.js';

type ParamCheck = (ctx: KoaContextWithOIDC, value: string | undefined, client: Client) => void | Promise<void>;

const atMost =
  (length: number): ParamCheck =>
  (_ctx, value) => {
    if (value !== undefined && value.length > length) throw new errors.InvalidRequest(`a parameter is longer than ${length} characters`);
  };

/** The device is part of an index. */
export const MAX_DEVICE_CHARACTERS = 512;
/** Contract section 11. */
export const MAX_VERSION_CHARACTERS = 32;

/** The response mode of `iframe=2`: a page that passes on the response by a message. */
export const FRAME_MESSAGE = 'frame_message';

/** Whether a value of `iframe` is valid for a sign-in inside a frame. */
export const isFrameMode = (value: unknown): value is '1' | '2' => value === '1' || value === '2';

/**
 * Our own parameters, which oidc-provider keeps during login and consent, and their checks. The checks run for every authorization request, even
 * without the parameter, after the redirect URI has been verified; their errors are sent to it.
 */
export const EXTRA_AUTHORIZE_PARAMS: Readonly<Record<string, ParamCheck | null>> = {
  device: atMost(MAX_DEVICE_CHARACTERS),
  env: null,
  platform: null,
  version: atMost(MAX_VERSION_CHARACTERS),
  legacy_resource: null,
  iframe: (_ctx, value) => {
    if (value !== undefined && !isFrameMode(value)) throw new errors.InvalidRequest('iframe must be 1 or 2');
  },
  for_frame: null, // set by our own page, for a window that signs in for a frame whose cookies are blocked
  offline: ({ oidc: { params = {} } }, _value, client) => {
    const scope = String(params.scope ?? '');
    if (knownScopes(scope).length === 0) throw new errors.InvalidScope('none of the requested scopes exists', scope);
    if (!client.grantTypeAllowed('refresh_token')) params.offline = undefined;
  },
};

/** Checks that `ssoIdentifier` exists, even if no sign-in is needed. */
export const knownSsoIdentifier =
  (singleSignOn: SingleSignOnService): ParamCheck =>
  async (_ctx, value) => {
    if (value && (await singleSignOn.findCustomerId(value)) === null)
      throw new errors.InvalidRequest('ssoIdentifier does not name an identity provider');
  };

/**
 * Translates the query of GET /v4/authorize for oidc-provider: legacy spellings (`clientId`, `r`, `u`), the default scope, a
 * `code_challenge_method` without a challenge, and `offline_access`, which oidc-provider would drop without `prompt=consent`.
 * @throws DomainError 400 `client_id_mismatch`, `redirect_uri_not_registered`
 */
export function translateAuthorizeQuery(query: URLSearchParams, request: AuthorizeSurroundings): URLSearchParams {
  const result = new URLSearchParams(query);
  for (const name of ['offline', 'legacy_resource']) result.delete(name);
  if (result.getAll('redirect_uri').length > 1) throw oauthErrors.redirect_uri_not_registered('redirect_uri must not be sent twice.');
  translateClientId(result);
  translateResponseType(result);
  translateResource(result, request.resources);
  translateScope(result);
  translateFraming(result);
  if (!result.get('code_challenge')) result.delete('code_challenge_method');
  if (request.deviceHeader && !result.has('device')) result.set('device', request.deviceHeader);
  return result;
}

/** Further values on which the translation of a query depends. */
interface AuthorizeSurroundings {
  readonly deviceHeader: string | undefined;
  /** The audiences that the operator configured. */
  readonly resources: readonly string[];
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

/**
 * Makes sure that an unsupported response type is reported in the query (RFC 6749 sections 3.1.1 and 4.1.2.1); for types that oidc-provider
 * knows, it would report the error in the fragment, where clients of the code flow do not look.
 */
function translateResponseType(query: URLSearchParams): void {
  const [type, ...more] = query.getAll('response_type');
  const isAccountPage = type === 'none' && query.get('client_id') === ACCOUNT_CLIENT_ID;
  if (type && more.length === 0 && type !== 'code' && !isAccountPage) query.set('response_type', 'unsupported');
}

/** `resource` takes precedence over `r`, and `r` over `u`. Only an absolute URI names an audience; legacy `TYPE:ID` values have no effect. */
function translateResource(query: URLSearchParams, resources: readonly string[]): void {
  const values = [query.getAll('resource'), query.getAll('r'), query.getAll('u')].find((found) => found.length > 0) ?? [];
  for (const name of ['resource', 'r', 'u']) query.delete(name);
  for (const value of values) if (isAudience(value, resources)) query.append('resource', value);
  const legacy = values.find((value) => value && !isAudience(value, resources));
  if (legacy) query.set('legacy_resource', legacy);
}

/**
 * Whether a value is a configured audience (RESOURCES, which may be a URN), or an absolute URI with an authority (RFC 8707 section 2): `media:42`
 * has the syntax of a URI, but is a legacy value.
 */
export const isAudience = (value: string, resources: readonly string[]): boolean =>
  resources.includes(value) || (parseUrl(value) !== null && /^[a-z][a-z0-9+.-]*:\/\//i.test(value));

function translateScope(query: URLSearchParams): void {
  if (query.getAll('scope').length > 1) return; // a repeated parameter is refused as such
  const names = (query.get('scope') ?? '').split(' ').filter(Boolean);
  const remaining = names.filter((name) => name !== 'offline_access');
  if (remaining.length < names.length) query.set('offline', '1');
  query.set('scope', (remaining.length > 0 ? remaining : [DEFAULT_SCOPE]).join(' '));
  // Libraries such as AppAuth always send a nonce; without an ID token it has no use, and oidc-provider would refuse it.
  if (!remaining.includes('openid')) query.delete('nonce');
}

/** Requests the response by a message for `iframe=2`, and for a window that signs in for a frame without cookies. */
function translateFraming(query: URLSearchParams): void {
  if (query.get('response_mode') === FRAME_MESSAGE) query.delete('response_mode');
  if (query.has('for_frame')) {
    query.set('for_frame', '1');
    query.delete('iframe');
  }
  const modes = query.getAll('iframe');
  const isAccountPage = query.get('client_id') === ACCOUNT_CLIENT_ID; // it returns to the window by a redirect
  if ((query.has('for_frame') && !isAccountPage) || (modes.length === 1 && modes[0] === '2')) query.set('response_mode', FRAME_MESSAGE);
}

/** Restores the query of a pending request from its parameters, so that the request can be repeated. */
export function toAuthorizeQuery(params: Readonly<Record<string, unknown>>): URLSearchParams {
  const { offline, legacy_resource: legacyResource, response_mode: responseMode, ...same } = params;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(same)) for (const one of [value].flat()) query.append(name, String(one));
  if (offline) query.set('scope', `${query.get('scope')} offline_access`);
  if (typeof legacyResource === 'string') query.append('resource', legacyResource);
  if (typeof responseMode === 'string' && responseMode !== FRAME_MESSAGE) query.set('response_mode', responseMode);
  return query;
}

/** Returns the device named by the header `x-service-device`, with any of the prefixes; an empty header counts as absent. */
export function deviceHeader(headers: IncomingHttpHeaders, prefixes: readonly string[]): string | undefined {
  for (const prefix of prefixes) {
    const value = headers[`${prefix}-device`];
    if (typeof value === 'string' && value) return value;
  }
  return undefined;
}
