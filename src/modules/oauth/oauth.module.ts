import { Module } from '@nestjs/common';
import { ClientDirectory } from '../../shared/auth/index.js';
import { AccessModule } from '../access/index.js';
import { AccountsModule, SignIns } from '../accounts/index.js';
import { SamlModule } from '../saml/index.js';
import { AccountController } from './account/account.controller.js';
import { AccountAccessService } from './account/account-access.service.js';
import { AccountEmailController } from './account/account-email.controller.js';
import { AccountFactorPagesService } from './account/account-factor-pages.service.js';
import { AccountFactorsController } from './account/account-factors.controller.js';
import { AccountLinksController } from './account/account-links.controller.js';
import { AccountPagesService } from './account/account-pages.service.js';
import { AccountSecurityController } from './account/account-security.controller.js';
import { AccountSupportController } from './account/account-support.controller.js';
import { ChangeDenialsController } from './account/change-denials.controller.js';
import { ConfirmationsService } from './account/confirmations.service.js';
import { LinkFormsController } from './account/link-forms.controller.js';
import { OpenedLinksService } from './account/opened-links.service.js';
import { AppsController } from './apps/apps.controller.js';
import { ClientAdministrationService } from './clients/client-administration.service.js';
import { ClientsController } from './clients/clients.controller.js';
import { ClientsRepository } from './clients/clients.repository.js';
import { ClientsService } from './clients/clients.service.js';
import { CsrfService } from './interactions/csrf.service.js';
import { InteractionPagesService } from './interactions/interaction-pages.service.js';
import { InteractionsController } from './interactions/interactions.controller.js';
import { InteractionsService } from './interactions/interactions.service.js';
import { KnownBrowsersService } from './interactions/known-browsers.service.js';
import { SecondFactorController } from './interactions/second-factor.controller.js';
import { SignInPagesService } from './interactions/sign-in-pages.service.js';
import { SignInStepsService } from './interactions/sign-in-steps.service.js';
import { OidcProviderService } from './provider/oidc-provider.service.js';
import { OidcRecordsRepository } from './provider/oidc-records.repository.js';
import { ProviderAnswersService } from './provider/provider-answers.service.js';
import { ProviderPagesService } from './provider/provider-pages.service.js';
import { RequestCodeController } from './request-code/request-code.controller.js';
import { RequestCodeService } from './request-code/request-code.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SignInsAdapter } from './sessions/sign-ins.adapter.js';
import { UserSessionsController } from './sessions/user-sessions.controller.js';
import { IntrospectionService } from './tokens/introspection.service.js';
import { RevocationController } from './tokens/revocation.controller.js';
import { RevocationService } from './tokens/revocation.service.js';
import { TokenChecksService } from './tokens/token-checks.service.js';
import { TokenRequestsService } from './tokens/token-requests.service.js';
import { UserinfoController } from './tokens/userinfo.controller.js';

/** The authorization server: oidc-provider with a storage adapter, and the operations around it. */
@Module({
  imports: [AccountsModule, AccessModule, SamlModule],
  controllers: [
    AccountController,
    AccountEmailController,
    AccountFactorsController,
    AccountLinksController,
    AccountSecurityController,
    AccountSupportController,
    AppsController,
    ClientsController,
    InteractionsController,
    ChangeDenialsController,
    LinkFormsController,
    RequestCodeController,
    RevocationController,
    SecondFactorController,
    UserinfoController,
    UserSessionsController,
  ],
  providers: [
    AccountAccessService,
    AccountFactorPagesService,
    AccountPagesService,
    ClientAdministrationService,
    ClientsRepository,
    ClientsService,
    ConfirmationsService,
    CsrfService,
    InteractionPagesService,
    InteractionsService,
    IntrospectionService,
    KnownBrowsersService,
    OidcProviderService,
    OidcRecordsRepository,
    OpenedLinksService,
    ProviderAnswersService,
    ProviderPagesService,
    RequestCodeService,
    RevocationService,
    SessionsService,
    SignInPagesService,
    SignInStepsService,
    TokenChecksService,
    TokenRequestsService,
    { provide: ClientDirectory, useExisting: ClientsService },
    { provide: SignIns, useClass: SignInsAdapter },
  ],
  exports: [ClientDirectory, ClientsService, IntrospectionService, OidcProviderService, SignIns],
})
export class OauthModule {}
