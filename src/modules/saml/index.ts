export { type AttributeMapping, IdentityProvider } from './identity-provider.entity.js';
export { type IdentityProviderDeclaration, IdentityProvidersService } from './identity-providers.service.js';
export { findCertificateProblem, type IdpMetadata, normalizeCertificate, readMetadata } from './read-metadata.js';
export { SamlModule } from './saml.module.js';
export { SamlIdentity } from './saml-identity.entity.js';
export { SamlKey } from './saml-key.entity.js';
export { SamlRequest } from './saml-request.entity.js';
export { type RedeemedHandle, SingleSignOnService } from './single-sign-on.service.js';
export { UsedAssertion } from './used-assertion.entity.js';
