import { Module } from '@nestjs/common';
import { AccessKeysService } from './access-keys.service.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { Argon2PasswordHasher } from './argon2-password-hasher.adapter.js';
import { CustomerRemovalService } from './customer-removal.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersService } from './customers.service.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { PasswordHasher } from './password-hasher.port.js';
import { PasswordLoginService } from './password-login.service.js';
import { PrincipalsService } from './principals.service.js';
import { SignInsService } from './sign-ins.service.js';
import { SupportAccessService } from './support-access.service.js';
import { UserRemovalService } from './user-removal.service.js';

/** Provides customers, users, passwords and access keys. */
@Module({
  controllers: [CustomersController],
  providers: [
    AccessKeysService,
    AccountsRepository,
    AccountsService,
    CustomerRemovalService,
    CustomersService,
    LoginFailuresRepository,
    PasswordLoginService,
    PrincipalsService,
    SignInsService,
    SupportAccessService,
    UserRemovalService,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  ],
  exports: [
    AccessKeysService,
    AccountsService,
    CustomerRemovalService,
    CustomersService,
    PasswordHasher,
    PasswordLoginService,
    PrincipalsService,
    SignInsService,
    SupportAccessService,
    UserRemovalService,
  ],
})
export class AccountsModule {}
