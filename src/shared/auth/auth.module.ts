import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdmissionService } from './admission.service.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { CallerAuthenticators } from './caller-authenticator.port.js';
import { ClientDirectory } from './client-directory.port.js';
import { TrustedOriginsService } from './trusted-origins.service.js';

@Global()
@Module({
  providers: [
    AdmissionService,
    CallerAuthenticators,
    ClientDirectory,
    TrustedOriginsService,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
  ],
  exports: [CallerAuthenticators, ClientDirectory, TrustedOriginsService],
})
export class AuthModule {}
