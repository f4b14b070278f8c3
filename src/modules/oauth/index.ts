export { Client, type ClientType } from './clients/client.entity.js';
export {
  ACCOUNT_CLIENT_ID,
  type ClientDeclaration,
  ClientsService,
  DEFAULT_GRANT_TYPES,
  MIN_CLIENT_SECRET_LENGTH,
  mayOmitPkce,
  newClientSecret,
} from './clients/clients.service.js';
export { findRedirectUriProblem } from './clients/find-redirect-uri-problem.js';
export { OauthModule } from './oauth.module.js';
export { protocolModels, protocolOperations } from './protocol-operations.js';
export { OidcProvider } from './provider/oidc-provider.js';
export { OidcRecord } from './provider/oidc-record.entity.js';
export { DEFAULT_SCOPE, knownScopes, SCOPES } from './scopes.js';
export { Introspection } from './tokens/introspection.js';
export { Revocation } from './tokens/revocation.js';
