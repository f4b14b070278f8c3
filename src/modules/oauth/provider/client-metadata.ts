import type { ClientMetadata } from 'oidc-provider';
import type { Config } from '../../../shared/config/index.js';
import type { Client } from '../clients/client.entity.js';
import { ACCOUNT_CLIENT_ID } from '../clients/clients.service.js';

/** A client in oidc-provider's terms (RFC 7591 section 2), with two members of our own. Undefined: there is no such client. */
export function clientMetadata(clientId: string, client: Client | null, { publicUrl }: Config): ClientMetadata | undefined {
  if (clientId === ACCOUNT_CLIENT_ID) return accountPage(publicUrl);
  if (!client) return undefined;
  const usesCode = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.clientId,
    client_name: client.name,
    application_type: client.type === 'web' ? 'web' : 'native',
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    response_types: usesCode ? ['code'] : [],
    grant_types: client.grantTypes,
    token_endpoint_auth_method: client.secretHash ? 'client_secret_basic' : 'none',
    ...(client.secretHash ? { client_secret: client.secretHash } : {}),
    first_party: client.firstParty,
    require_pkce: client.requirePkce,
    service_user_id: client.serviceUserId ?? undefined,
  };
}

/** `response_type=none`: the account page needs the login session only, so nothing is issued to it. */
const accountPage = (publicUrl: string): ClientMetadata => ({
  client_id: ACCOUNT_CLIENT_ID,
  client_name: 'Your account',
  redirect_uris: [`${publicUrl}/account`],
  response_types: ['none'],
  grant_types: [],
  token_endpoint_auth_method: 'none',
  first_party: true,
});

/** Names of the members that oidc-provider has to keep although it does not know them. */
export const EXTRA_CLIENT_METADATA = ['first_party', 'require_pkce', 'service_user_id'];
