import { Module } from '@nestjs/common';
import { AccessKeysService } from './access-keys.service.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AccessKeyAdministrationService } from './administration/access-key-administration.service.js';
import { AccessKeysController } from './administration/access-keys.controller.js';
import { AdministeredCustomersController } from './administration/administered-customers.controller.js';
import { AdministrationService } from './administration/administration.service.js';
import { AuditController } from './administration/audit.controller.js';
import { CustomerAdministrationService } from './administration/customer-administration.service.js';
import { UserAdministrationService } from './administration/user-administration.service.js';
import { UsersController } from './administration/users.controller.js';
import { AdministratorsService } from './administrators.service.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.adapter.js';
import { ChangeDenialsService } from './change-denials.service.js';
import { CustomerRemovalService } from './customer-removal.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersService } from './customers.service.js';
import { EmailChangesService } from './email-changes.service.js';
import { AccountLinksRepository } from './links/account-links.repository.js';
import { AccountLinksService } from './links/account-links.service.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { AccountMailsService } from './mails/account-mails.service.js';
import { PasswordHasher } from './password-hasher.port.js';
import { PasswordLoginService } from './password-login.service.js';
import { BlockedPasswordsRepository } from './passwords/blocked-passwords.repository.js';
import { BlockedPasswordsService } from './passwords/blocked-passwords.service.js';
import { PasswordPolicyService } from './passwords/password-policy.service.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { PrincipalsService } from './principals.service.js';
import { ProofsService } from './proofs.service.js';
import { AuthenticatorAppsService } from './second-factors/authenticator-apps.service.js';
import { FactorResetsService } from './second-factors/factor-resets.service.js';
import { PasskeysService } from './second-factors/passkeys.service.js';
import { RecoveryCodesService } from './second-factors/recovery-codes.service.js';
import { SecondFactorChangesService } from './second-factors/second-factor-changes.service.js';
import { SecondFactorCodesService } from './second-factors/second-factor-codes.service.js';
import { SecondFactorsRepository } from './second-factors/second-factors.repository.js';
import { SecondFactorsService } from './second-factors/second-factors.service.js';
import { SupportAccessService } from './support-access.service.js';
import { SupportWindowsService } from './support-windows.service.js';
import { UserChangesService } from './user-changes.service.js';
import { UserRemovalService } from './user-removal.service.js';

/** Provides customers, users, passwords and access keys. */
@Module({
  controllers: [AccessKeysController, AdministeredCustomersController, AuditController, CustomersController, UsersController],
  providers: [
    AccessKeyAdministrationService,
    AccessKeysService,
    AccountLinksRepository,
    AccountLinksService,
    AccountMailsService,
    AccountsRepository,
    AccountsService,
    AdministrationService,
    AdministratorsService,
    BlockedPasswordsRepository,
    BlockedPasswordsService,
    AuthenticatorAppsService,
    CustomerAdministrationService,
    ChangeDenialsService,
    CustomerRemovalService,
    CustomersService,
    EmailChangesService,
    FactorResetsService,
    LoginFailuresRepository,
    PasskeysService,
    PasswordLoginService,
    PasswordPolicyService,
    PasswordsService,
    PrincipalsService,
    ProofsService,
    RecoveryCodesService,
    SecondFactorChangesService,
    SecondFactorCodesService,
    SecondFactorsRepository,
    SecondFactorsService,
    SupportAccessService,
    SupportWindowsService,
    UserAdministrationService,
    UserChangesService,
    UserRemovalService,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  ],
  exports: [
    AccessKeysService,
    AccountLinksService,
    AccountMailsService,
    AccountsService,
    AdministrationService,
    AdministratorsService,
    BlockedPasswordsService,
    AuthenticatorAppsService,
    ChangeDenialsService,
    CustomerRemovalService,
    CustomersService,
    EmailChangesService,
    FactorResetsService,
    PasskeysService,
    PasswordHasher,
    PasswordLoginService,
    PasswordPolicyService,
    PasswordsService,
    PrincipalsService,
    ProofsService,
    RecoveryCodesService,
    SecondFactorCodesService,
    SecondFactorsService,
    SupportAccessService,
    SupportWindowsService,
    UserAdministrationService,
    UserChangesService,
    UserRemovalService,
  ],
})
export class AccountsModule {}
