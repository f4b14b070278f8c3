import { Module } from '@nestjs/common';
import { AccessKeys } from './access-keys.js';
import { AccountsService } from './accounts.service.js';
import { CustomersRepository } from './customers.repository.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { Argon2PasswordHasher, PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { Principals } from './principals.js';
import { SupportAccess } from './support-access.js';
import { UsersRepository } from './users.repository.js';

/** Customers, users and passwords. */
@Module({
  providers: [
    AccessKeys,
    AccountsService,
    CustomersRepository,
    LoginFailuresRepository,
    PasswordLogin,
    Principals,
    SupportAccess,
    UsersRepository,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  ],
  exports: [AccessKeys, AccountsService, PasswordLogin, Principals, SupportAccess],
})
export class AccountsModule {}
