import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { AccessTokens } from './access-tokens.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { AuthorizationsService } from './authorizations.service.js';
import { BearerAuthenticator } from './bearer-authenticator.js';
import { RevokedTokens } from './revoked-tokens.js';
import { ServerKeys } from './server-keys.js';
import { ServerKeysRepository } from './server-keys.repository.js';
import { CheckSignedSessionController } from './signed-requests/check-signed-session.controller.js';
import { SignatureAuthenticator } from './signed-requests/signature-authenticator.js';
import { SignedRequests } from './signed-requests/signed-requests.js';
import { UsedSignatures } from './signed-requests/used-signatures.js';
import { TokenStates } from './token-states.js';
import { TokenVerifier } from './token-verifier.js';

/** Keys, authorizations, and the way from a token to a Caller. */
@Module({
  imports: [AccountsModule],
  controllers: [CheckSignedSessionController],
  providers: [
    AccessTokens,
    AuthorizationsRepository,
    AuthorizationsService,
    BearerAuthenticator,
    RevokedTokens,
    ServerKeys,
    ServerKeysRepository,
    SignatureAuthenticator,
    SignedRequests,
    TokenStates,
    TokenVerifier,
    UsedSignatures,
  ],
  exports: [AccessTokens, AuthorizationsService, RevokedTokens, ServerKeys, TokenStates, TokenVerifier],
})
export class AccessModule {}
