import { Module } from '@nestjs/common';
import { AccountsModule, ExternalSignIns } from '../accounts/index.js';
import { IdentityProviderAdministrationService } from './identity-provider-administration.service.js';
import { IdentityProvidersController } from './identity-providers.controller.js';
import { IdentityProvidersService } from './identity-providers.service.js';
import { MetadataReaderService } from './metadata-reader.service.js';
import { ResponseVerifierService } from './response-verifier.service.js';
import { SamlController } from './saml.controller.js';
import { SamlIdentitiesRepository } from './saml-identities.repository.js';
import { SamlPeopleService } from './saml-people.service.js';
import { SamlRequestsRepository } from './saml-requests.repository.js';
import { ServiceProviderService } from './service-provider.service.js';
import { SignatureThreadService } from './signature-thread.service.js';
import { SingleSignOnService } from './single-sign-on.service.js';

/** This service as a SAML 2.0 service provider. */
@Module({
  imports: [AccountsModule],
  controllers: [IdentityProvidersController, SamlController],
  providers: [
    IdentityProviderAdministrationService,
    IdentityProvidersService,
    MetadataReaderService,
    ResponseVerifierService,
    SamlIdentitiesRepository,
    SamlPeopleService,
    SamlRequestsRepository,
    ServiceProviderService,
    SignatureThreadService,
    SingleSignOnService,
    { provide: ExternalSignIns, useExisting: IdentityProvidersService },
  ],
  exports: [ExternalSignIns, IdentityProvidersService, SingleSignOnService],
})
export class SamlModule {}
