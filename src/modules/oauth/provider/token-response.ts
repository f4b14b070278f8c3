import type { KoaContextWithOIDC } from 'oidc-provider';
import { toTokenResponseFields } from '../../access/index.js';
import type { Principal, PrincipalsService } from '../../accounts/index.js';
import { requestScope } from './request-scope.js';

interface StandardTokenResponse {
  readonly access_token: string;
  readonly expires_in: number;
  readonly [name: string]: unknown;
}

/** Adds the fields of the specification's Token response to oidc-provider's, the deprecated duplicates included. */
export async function extendTokenResponse(ctx: KoaContextWithOIDC, principals: PrincipalsService): Promise<void> {
  const body = ctx.body as StandardTokenResponse | undefined;
  if (ctx.status !== 200 || !body?.access_token) return;
  const { support } = requestScope(ctx.req);
  const fields = toTokenResponseFields({
    accessToken: body.access_token,
    expiresAt: requestScope(ctx.req).accessTokenExpiresAt,
    clientId: ctx.oidc.client?.clientId,
    user: await userOf(ctx, principals),
    state: stateOf(ctx),
    supportUserId: support?.staffId,
  });
  ctx.body = { ...body, ...fields };
}

async function userOf({ oidc, req }: KoaContextWithOIDC, principals: PrincipalsService): Promise<Principal | null> {
  const { support } = requestScope(req);
  if (support) return await principals.find(support.userId);
  const account = oidc.account as { principal?: Principal } | undefined;
  if (account?.principal) return account.principal;
  const serviceUserId = oidc.client?.service_user_id;
  return typeof serviceUserId === 'number' ? await principals.find(serviceUserId) : null;
}

/** The value of authorize or requestCode, kept with the code; for other grants the one that was sent. */
function stateOf({ oidc, req }: KoaContextWithOIDC): unknown {
  const code = oidc.entities.AuthorizationCode;
  if (code) return requestScope(req).records.get(`AuthorizationCode:${code.jti}`)?.payload.state;
  return typeof oidc.body?.state === 'string' ? oidc.body.state : undefined;
}
