export { CreateClientDto } from './clients/client.dto.js';
export { Client } from './clients/client.entity.js';
export type { ServiceClientId } from './clients/client-ids.js';
export {
  type ClientDeclaration,
  ClientsService,
  DEFAULT_GRANT_TYPES,
  MIN_CLIENT_SECRET_LENGTH,
  mayOmitPkce,
  newClientSecret,
} from './clients/clients.service.js';
export { findClientProblems } from './clients/find-client-problems.js';
export { OauthModule } from './oauth.module.js';
export { protocolModels, protocolOperations } from './protocol-operations.js';
export { OidcProviderService, PROVIDER_ROUTES } from './provider/oidc-provider.service.js';
export { OidcRecord } from './provider/oidc-record.entity.js';
export { DEFAULT_SCOPE, knownScopes, SCOPES } from './scopes.js';
export { SessionsService } from './sessions/sessions.service.js';
export { IntrospectionService } from './tokens/introspection.service.js';
