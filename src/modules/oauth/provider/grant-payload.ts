import type { Authorization } from '../../access/index.js';
import { knownScopes, withIncludedScopes } from '../scopes.js';

/** An authorization in the shape of oidc-provider's Grant, which limits what its tokens may carry. */
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
