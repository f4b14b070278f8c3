import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type Authentication, MFA } from '../../../shared/auth/index.js';
import type { Config } from '../../../shared/config/index.js';
import { hostPrefix, securePrefix } from '../../../shared/http/index.js';
import { originOf } from '../../../shared/validation/index.js';
import { authenticationClaims, authorizationClaims, ID_TOKEN_TTL_SECONDS, type KeySet, supportClaim } from '../../access/index.js';
import type { PrincipalsService } from '../../accounts/index.js';
import type { SingleSignOnService } from '../../saml/index.js';
import { ALL_SCOPES } from '../scopes.js';
import { CLAIMS_OF_SCOPES, claimsOf } from '../tokens/person-claims.js';
import type { SupportToken } from '../tokens/token-checks.service.js';
import { EXTRA_AUTHORIZE_PARAMS, knownSsoIdentifier } from './authorize-request.js';
import { interactionRules, loadExistingGrant } from './consent.js';
import { type AdapterDependencies, EXTRA_CLIENT_METADATA, postgresAdapter } from './oidc-records.adapter.js';
import { protocolRequest } from './protocol-request.js';
import type { ProviderPagesService } from './provider-pages.service.js';

/** The maximum lifetime of a chain of rotated refresh tokens. */
export const REFRESH_CHAIN_SECONDS = 365 * 86_400;
const BROWSER_SESSION_SECONDS = 12 * 3_600; // without "keep me signed in": a working day at most
const INTERACTION_SECONDS = 3_600; // time to sign in and decide

export interface ConfigurationParts extends AdapterDependencies {
  readonly keys: KeySet;
  readonly principals: PrincipalsService;
  readonly singleSignOn: SingleSignOnService;
  readonly pages: ProviderPagesService;
}

/** Returns oidc-provider's configuration; features that the contract does not name are off. */
export function providerConfiguration(parts: ConfigurationParts): Configuration {
  const { config, keys, pages } = parts;
  return {
    adapter: postgresAdapter(parts),
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: cookies(keys, config),
    routes: { authorization: '/v4/authorize', token: '/v4/token', jwks: '/v4/jwks', end_session: '/v4/logout' },
    discovery: discovery(config),
    scopes: ALL_SCOPES.split(' '),
    acrValues: [MFA],
    claims: claimsByScope(),
    conformIdTokenClaims: false, // clients read what was granted from the ID token; userinfo repeats it
    responseTypes: ['code', 'none'],
    extraParams: { ...EXTRA_AUTHORIZE_PARAMS, ssoIdentifier: knownSsoIdentifier(parts.singleSignOn) },
    extraClientMetadata: { properties: EXTRA_CLIENT_METADATA },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientBasedCORS: (_ctx, origin, client) =>
      config.corsOrigins.includes(origin) || (client.redirectUris ?? []).some((uri) => originOf(uri) === origin),
    allowOmittingSingleRegisteredRedirectUri: !config.requireRedirectUri,
    pkce: { required: (_ctx, client) => config.requirePkce || client.require_pkce === true },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, code) => client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    expiresWithSession: () => false, // an authorization ends by deauthorize, not by the end of a browser session
    revokeGrantPolicy: (ctx) => ctx.oidc.route !== 'end_session_confirm',
    loadExistingGrant: loadExistingGrant(parts.authorizations, parts.singleSignOn),
    interactions: { policy: interactionRules(parts.singleSignOn), url: (_ctx, interaction) => `/v4/interaction/${interaction.uid}` },
    findAccount: (_ctx, id) => findAccount(parts.principals, id),
    extraTokenClaims: (ctx) => {
      const { authorization } = protocolRequest(ctx.req);
      return { ...(authorization && authorizationClaims(authorization)), ...authenticationClaims(authenticationOf(ctx)) };
    },
    formats: {
      customizers: {
        jwt: async (ctx, token, { payload }) => {
          await actAsServiceUser(token, payload as Record<string, unknown>, parts.principals);
          const current = protocolRequest(ctx.req);
          actForSupport(current.token?.support ?? null, payload as Record<string, unknown>);
          current.accessTokenExpiresAt = Number(payload?.exp);
        },
      },
    },
    renderError: (ctx, out, error) => pages.renderError(ctx, out, error),
    ttl: ttl(config),
    features: features(config, pages),
  } as Configuration;
}

/**
 * With https, the name of the session cookie has the prefix `__Host-`, so that neither other hosts of the site nor plain http can set it
 * (RFC 6265bis section 4.1.3.2). The cookies of a sign-in in progress have the path of that sign-in, so that a browser can have several;
 * `__Host-` would not permit a path, and `__Secure-` keeps plain http from setting them.
 */
const cookies = (keys: KeySet, { publicUrl }: Config): Configuration['cookies'] => ({
  keys: [...keys.cookies],
  names: {
    session: `${hostPrefix(publicUrl)}session`,
    interaction: `${securePrefix(publicUrl)}interaction`,
    resume: `${securePrefix(publicUrl)}interaction_resume`,
  },
  long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/' },
  short: { signed: true, httpOnly: true, sameSite: 'lax' },
});

const discovery = ({ publicUrl }: Config): Configuration['discovery'] => ({
  introspection_endpoint: `${publicUrl}/v4/introspect`,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint: `${publicUrl}/v4/revoke`,
  userinfo_endpoint: `${publicUrl}/v4/userinfo`,
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  service_documentation: `${publicUrl}/docs`,
});

const ttl = (config: Config): Configuration['ttl'] => ({
  AuthorizationCode: config.codeTtlSeconds,
  // No token outlives a derived authorization.
  AccessToken: (ctx) => {
    const endsAt = protocolRequest(ctx.req).authorization?.endsAt;
    if (!endsAt) return config.accessTokenTtlSeconds;
    return Math.max(1, Math.min(config.accessTokenTtlSeconds, Math.floor((endsAt.getTime() - Date.now()) / 1000)));
  },
  ClientCredentials: config.accessTokenTtlSeconds,
  IdToken: ID_TOKEN_TTL_SECONDS,
  Interaction: INTERACTION_SECONDS,
  Grant: REFRESH_CHAIN_SECONDS,
  RefreshToken: (_ctx, token) => {
    const chainEnds = (token.iiat ?? Math.floor(Date.now() / 1000)) + REFRESH_CHAIN_SECONDS;
    return Math.max(1, Math.min(config.refreshTtlSeconds, chainEnds - Math.floor(Date.now() / 1000)));
  },
  // Counted from the login, so that active browsers are asked again as well, and reading a session does not write it.
  Session: (_ctx, session) => {
    const lifetime = session.transient ? Math.min(BROWSER_SESSION_SECONDS, config.sessionTtlSeconds) : config.sessionTtlSeconds;
    const now = Math.floor(Date.now() / 1000);
    return Math.max(1, (session.loginTs ?? now) + lifetime - now);
  },
});

const features = (config: Config, pages: ProviderPagesService): Configuration['features'] => ({
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  userinfo: { enabled: false }, // we provide our own, because the library refuses JWT access tokens
  introspection: { enabled: false }, // likewise
  revocation: { enabled: false }, // likewise
  clientCredentials: { enabled: true },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: (ctx) => pages.renderLogout(ctx),
    postLogoutSuccessSource: (ctx) => pages.renderLoggedOut(ctx),
  },
  resourceIndicators: {
    enabled: true,
    defaultResource: (_ctx, _client, granted) => defaultAudience(config.publicUrl, granted),
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, resource) => {
      if (resource !== config.publicUrl && !config.resources.includes(resource)) throw new errors.InvalidTarget();
      return { scope: ALL_SCOPES, audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
    },
  },
});

/** The claims of an ID token: about the person by scope, and always how the person signed in. */
const claimsByScope = (): Configuration['claims'] => {
  const { openid, ...others } = CLAIMS_OF_SCOPES;
  return { openid: [...openid, 'acr', 'amr'], ...Object.fromEntries(Object.entries(others).map(([scope, names]) => [scope, [...names]])) };
};

/** How and when the person signed in, for tokens of a code or a refresh token, which keeps the time of the sign-in. */
const authenticationOf = ({ oidc }: KoaContextWithOIDC): Authentication =>
  oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken ?? {};

/** The audience of a token request that names none: this service if it was granted, otherwise the first granted one. */
const defaultAudience = (publicUrl: string, granted: readonly string[] | undefined): string =>
  granted === undefined || granted.includes(publicUrl) ? publicUrl : (granted[0] ?? publicUrl);

async function findAccount(principals: PrincipalsService, id: string) {
  const principal = await principals.find(Number(id));
  if (!principal) return undefined;
  return { accountId: id, principal, claims: () => claimsOf(principal) };
}

/** Sets the client's service user as `sub` of a client-credentials token; the user must exist and must not be disabled. */
async function actAsServiceUser(
  token: { kind: string; client?: KoaContextWithOIDC['oidc']['client'] },
  payload: Record<string, unknown>,
  principals: PrincipalsService,
): Promise<void> {
  if (token.kind !== 'ClientCredentials') return;
  const userId = token.client?.service_user_id;
  const user = typeof userId === 'number' ? await principals.find(userId) : null;
  if (!user) throw new errors.UnauthorizedClient('the client has no service user that may act');
  payload.sub = String(user.id);
}

/** Sets the user for whom support staff acts as `sub`; `casa` names the member of staff. */
function actForSupport(support: SupportToken | null, payload: Record<string, unknown>): void {
  if (support) Object.assign(payload, { sub: String(support.userId), ...supportClaim(support.staffId) });
}
