import { Module } from '@nestjs/common';
import { AccessKeys } from './access-keys.js';
import { AccountsService } from './accounts.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersRepository } from './customers.repository.js';
import { CustomersService } from './customers.service.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { PasswordGuesses } from './password-guesses.js';
import { Argon2PasswordHasher, PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { Principals } from './principals.js';
import { Senders } from './senders.js';
import { SupportAccess } from './support-access.js';
import { UsersRepository } from './users.repository.js';

/** Customers, users and passwords. */
@Module({
  controllers: [CustomersController],
  providers: [
    AccessKeys,
    AccountsService,
    CustomersRepository,
    CustomersService,
    LoginFailuresRepository,
    PasswordGuesses,
    PasswordLogin,
    Principals,
    Senders,
    SupportAccess,
    UsersRepository,
    { provide: PasswordHasher, useClass: Argon2PasswordHasher },
  ],
  exports: [
    AccessKeys,
    AccountsService,
    CustomersService,
    PasswordGuesses,
    PasswordHasher,
    PasswordLogin,
    Principals,
    Senders,
    SupportAccess,
  ],
})
export class AccountsModule {}
