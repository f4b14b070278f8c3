import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { AccessTokenIssuerService } from './access-token-issuer.service.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { AuthorizationsService } from './authorizations.service.js';
import { BearerAuthenticationService } from './bearer-authentication.service.js';
import { ServerKeysRepository } from './server-keys.repository.js';
import { ServerKeysService } from './server-keys.service.js';
import { CheckSignedSessionController } from './signed-requests/check-signed-session.controller.js';
import { SignedRequestsService } from './signed-requests/signed-requests.service.js';
import { UsedSignaturesRepository } from './signed-requests/used-signatures.repository.js';
import { TokenStatesService } from './token-states.service.js';
import { TokenVerifierService } from './token-verifier.service.js';

/** Provides keys and authorizations, and authenticates callers by tokens and signatures. */
@Module({
  imports: [AccountsModule],
  controllers: [CheckSignedSessionController],
  providers: [
    AccessTokenIssuerService,
    AuthorizationsRepository,
    AuthorizationsService,
    BearerAuthenticationService,
    ServerKeysRepository,
    ServerKeysService,
    SignedRequestsService,
    TokenStatesService,
    TokenVerifierService,
    UsedSignaturesRepository,
  ],
  exports: [
    AccessTokenIssuerService,
    AuthorizationsService,
    BearerAuthenticationService,
    ServerKeysService,
    TokenStatesService,
    TokenVerifierService,
  ],
})
export class AccessModule {}
