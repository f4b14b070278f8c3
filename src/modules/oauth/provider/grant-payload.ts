import type { Authorization } from '../../access/index.js';
import { knownScopes } from '../scopes.js';

/** An authorization in the shape of oidc-provider's Grant. */
export function grantPayload({ grantId, userId, clientId, scope, resources, createdAt }: Authorization) {
  return {
    jti: grantId,
    kind: 'Grant',
    iat: Math.floor(createdAt.getTime() / 1000),
    accountId: String(userId),
    clientId,
    openid: { scope: knownScopes(scope).join(' ') },
    resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
  };
}
