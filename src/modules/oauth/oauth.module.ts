import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { SamlModule } from '../saml/index.js';
import { AppsController } from './apps/apps.controller.js';
import { ClientsRepository } from './clients/clients.repository.js';
import { ClientsService } from './clients/clients.service.js';
import { Csrf } from './interactions/csrf.js';
import { InteractionPages } from './interactions/interaction-pages.js';
import { InteractionsController } from './interactions/interactions.controller.js';
import { InteractionsService } from './interactions/interactions.service.js';
import { KnownBrowsers } from './interactions/known-browsers.js';
import { ErrorPages } from './provider/error-pages.js';
import { OidcProvider } from './provider/oidc-provider.js';
import { OidcRecordsRepository } from './provider/oidc-records.repository.js';
import { ProviderPages } from './provider/provider-pages.js';
import { RequestCodeController } from './request-code/request-code.controller.js';
import { RequestCodeService } from './request-code/request-code.service.js';
import { AccountController } from './sessions/account.controller.js';
import { SessionAuthenticators } from './sessions/session-authenticators.js';
import { Sessions } from './sessions/sessions.js';
import { CodeExchange } from './token-endpoint/code-exchange.js';
import { RefreshExchange } from './token-endpoint/refresh-exchange.js';
import { SupportTokens } from './token-endpoint/support-tokens.js';
import { TokenRequests } from './token-endpoint/token-request.js';
import { Introspection } from './tokens/introspection.js';
import { Revocation } from './tokens/revocation.js';

/** The authorization server: oidc-provider behind an adapter, and the operations around it. */
@Module({
  imports: [AccountsModule, AccessModule, SamlModule],
  controllers: [AccountController, AppsController, InteractionsController, RequestCodeController],
  providers: [
    ClientsRepository,
    ClientsService,
    CodeExchange,
    Csrf,
    ErrorPages,
    InteractionPages,
    InteractionsService,
    Introspection,
    KnownBrowsers,
    OidcProvider,
    OidcRecordsRepository,
    ProviderPages,
    RefreshExchange,
    RequestCodeService,
    Revocation,
    SessionAuthenticators,
    Sessions,
    SupportTokens,
    TokenRequests,
  ],
  exports: [ClientsService, Introspection, OidcProvider, Revocation],
})
export class OauthModule {}
