import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { MFA } from '../../../shared/auth/index.js';
import type { Authorization, AuthorizationsService, GrantKey } from '../../access/index.js';
import type { Principal } from '../../accounts/index.js';
import type { SingleSignOnService } from '../../saml/index.js';
import { requestsMfa } from '../authentication-context.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import { knownScopes, withIncludedScopes } from '../scopes.js';
import { protocolRequest } from './protocol-request.js';

/** The access that an authorization request asks for. */
export interface RequestedAccess extends GrantKey {
  readonly scope: string;
  readonly resources: readonly string[];
}

/** Whether an earlier authorization covers the requested access. */
export function covers(authorization: Authorization | null, requested: RequestedAccess): authorization is Authorization {
  if (!authorization) return false;
  const granted = new Set(withIncludedScopes(authorization.scope));
  return (
    knownScopes(requested.scope).every((name) => granted.has(name)) &&
    requested.resources.every((resource) => authorization.resources.includes(resource))
  );
}

/** Returns the access that the current authorization request asks for, for the user of the session. */
export function requestedAccess({ oidc }: KoaContextWithOIDC): RequestedAccess {
  const { params = {}, client, account, resourceServers = {} } = oidc;
  const scope = [params.scope, params.offline ? 'offline_access' : ''].filter(Boolean).join(' ');
  return {
    userId: Number(account?.accountId),
    clientId: client?.clientId ?? '',
    device: typeof params.device === 'string' && params.device ? params.device : null,
    scope: knownScopes(scope).join(' '),
    resources: Object.keys(resourceServers),
  };
}

/**
 * Implements oidc-provider's loadExistingGrant: consent is remembered per (user, client, device); a first-party client needs none. Undefined if
 * the user has to be asked.
 */
export const loadExistingGrant =
  (authorizations: AuthorizationsService, singleSignOn: SingleSignOnService) => async (ctx: KoaContextWithOIDC) => {
    const { provider, client } = ctx.oidc;
    const requested = requestedAccess(ctx);
    if (client?.clientId === ACCOUNT_CLIENT_ID) return accountPageGrant(ctx, requested);
    const remembered = await authorizations.findByKey(requested);
    const isToGrant = client?.first_party === true && !covers(remembered, requested);
    const mayGrant = isToGrant && !(await isOfOtherCustomer(ctx, singleSignOn));
    const authorization = mayGrant ? await authorizations.grant(requested) : remembered;
    protocolRequest(ctx.req).authorization = authorization;
    return authorization ? new provider.Grant(grantPayload(authorization)) : undefined;
  };

/** Creates a grant for the account page; nothing is recorded, because the page receives no code or token. */
function accountPageGrant(ctx: KoaContextWithOIDC, { userId, clientId, scope }: RequestedAccess) {
  const grant = new ctx.oidc.provider.Grant({ accountId: String(userId), clientId });
  grant.addOIDCScope(scope);
  for (const resource of Object.keys(ctx.oidc.resourceServers ?? {})) grant.addResourceScope(resource, scope);
  return grant;
}

/** Whether the user of the session does not belong to the customer of the identity provider that the request names. */
async function isOfOtherCustomer({ oidc }: KoaContextWithOIDC, singleSignOn: SingleSignOnService): Promise<boolean> {
  const ssoIdentifier = oidc.params?.ssoIdentifier;
  const user = (oidc.account as { principal?: Principal } | undefined)?.principal;
  if (typeof ssoIdentifier !== 'string' || ssoIdentifier === '' || !user) return false;
  const customerId = await singleSignOn.findCustomerId(ssoIdentifier);
  return customerId !== null && user.customerId !== customerId;
}

/** Requires a login without a session of an active user of the right customer, and consent if the remembered one is not sufficient. */
export function interactionRules(singleSignOn: SingleSignOnService): ReturnType<typeof interactionPolicy.base> {
  const { Check, Prompt, base } = interactionPolicy;
  const policy = base();
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'the user of the session no longer exists', 'login_required', (ctx) =>
        ctx.oidc.session?.accountId && !ctx.oidc.account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  policy
    .get('login')
    ?.checks.add(
      new Check('other_customer', 'the session is one of another customer than the identity provider', 'login_required', async (ctx) =>
        !ctx.oidc.result?.login && (await isOfOtherCustomer(ctx, singleSignOn)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  policy
    .get('login')
    ?.checks.add(
      new Check('second_factor', 'the application asks for a sign-in with a second factor', 'login_required', ({ oidc }) =>
        requestsMfa(oidc.params?.acr_values) && oidc.session?.acr !== MFA && !oidc.result?.login
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  policy.remove('consent');
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_granted', 'the user has not granted this yet', 'consent_required', (ctx) => {
        const granted =
          ctx.oidc.client?.clientId === ACCOUNT_CLIENT_ID || covers(protocolRequest(ctx.req).authorization, requestedAccess(ctx));
        return granted ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
      }),
    ),
  );
  return policy;
}

/** Converts an authorization to oidc-provider's Grant, which limits the scopes and audiences of its tokens. */
export function grantPayload({ grantId, userId, clientId, scope, resources, createdAt }: Authorization) {
  const allowed = withIncludedScopes(scope).join(' ');
  return {
    jti: grantId,
    kind: 'Grant',
    iat: Math.floor(createdAt.getTime() / 1000),
    accountId: String(userId),
    clientId,
    openid: { scope: knownScopes(allowed).join(' ') },
    resources: Object.fromEntries(resources.map((resource) => [resource, allowed])),
  };
}
