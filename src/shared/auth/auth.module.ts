import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Admission } from './admission.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { CallerAuthenticators } from './caller-authenticator.js';
import { ClientDirectory } from './client-directory.js';
import { TrustedOrigins } from './trusted-origins.js';

@Global()
@Module({
  providers: [Admission, CallerAuthenticators, ClientDirectory, TrustedOrigins, { provide: APP_GUARD, useClass: AuthenticationGuard }],
  exports: [CallerAuthenticators, ClientDirectory, TrustedOrigins],
})
export class AuthModule {}
