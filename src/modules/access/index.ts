export { AccessModule } from './access.module.js';
export {
  type AccessTokenClaims,
  authenticationClaims,
  authorizationClaims,
  readAuthentication,
  supportClaim,
} from './access-token-claims.js';
export { AccessTokenIssuerService } from './access-token-issuer.service.js';
export { Authorization } from './authorization.entity.js';
export type { AuthorizationSelector, GrantKey, LoginDetails, RequestedGrant } from './authorizations.repository.js';
export { AuthorizationsService, type Origin } from './authorizations.service.js';
export { BearerAuthenticationService } from './bearer-authentication.service.js';
export { RevokedToken } from './revoked-token.entity.js';
export { ServerKey } from './server-key.entity.js';
export { ID_TOKEN_TTL_SECONDS, type KeySet, ServerKeysService, type SigningKey } from './server-keys.service.js';
export { UsedSignature } from './signed-requests/used-signature.entity.js';
export { TokenResponse, toTokenResponseFields } from './token-response.dto.js';
export { TokenStatesService } from './token-states.service.js';
export { TokenVerifierService } from './token-verifier.service.js';
