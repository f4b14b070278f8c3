import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { IdentityProviders } from './identity-providers/identity-providers.js';
import { SamlPeople } from './people/saml-people.js';
import { SamlRequests } from './requests/saml-requests.js';
import { ResponseVerifier } from './responses/response-verifier.js';
import { SignatureThread } from './responses/signature-thread.js';
import { UsedAssertions } from './responses/used-assertions.js';
import { SamlController } from './saml.controller.js';
import { ServiceProvider } from './service-provider/service-provider.js';
import { SamlSigningKey } from './service-provider/signing-key.js';
import { SingleSignOn } from './single-sign-on.js';

/** This service as a SAML 2.0 service provider. */
@Module({
  imports: [AccountsModule],
  controllers: [SamlController],
  providers: [
    IdentityProviders,
    ResponseVerifier,
    SamlPeople,
    SamlRequests,
    SamlSigningKey,
    ServiceProvider,
    SignatureThread,
    SingleSignOn,
    UsedAssertions,
  ],
  exports: [IdentityProviders, SingleSignOn],
})
export class SamlModule {}
