export { Client, type ClientType } from './clients/client.entity.js';
export { type ClientDeclaration, ClientsService, newClientSecret } from './clients/clients.service.js';
export { OauthModule } from './oauth.module.js';
export { OidcProvider } from './provider/oidc-provider.js';
export { OidcRecord } from './provider/oidc-record.entity.js';
export { Introspection } from './tokens/introspection.js';
export { Revocation } from './tokens/revocation.js';
