import { Module } from '@nestjs/common';
import { AccessKeysService } from './access-keys.service.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersService } from './customers.service.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { Argon2PasswordHasher, PasswordHasher } from './password-hasher.port.js';
import { PasswordLoginService } from './password-login.service.js';
import { PrincipalsService } from './principals.service.js';
import { SupportAccessService } from './support-access.service.js';

/** Customers, users and passwords. */
@Module({
  controllers: [CustomersController],
  providers: [
    AccessKeysService,
    AccountsRepository,
    AccountsService,
    CustomersService,
    LoginFailuresRepository,
    PasswordLoginService,
    PrincipalsService,
    SupportAccessService,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  ],
  exports: [
    AccessKeysService,
    AccountsService,
    CustomersService,
    PasswordHasher,
    PasswordLoginService,
    PrincipalsService,
    SupportAccessService,
  ],
})
export class AccountsModule {}
