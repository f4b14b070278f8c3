import { type DynamicModule, Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuditService } from './audit/audit.service.js';
import { AdmissionService } from './auth/admission.service.js';
import { AuthenticationGuard } from './auth/authentication.guard.js';
import { CallerAuthenticationService, TrustedOriginsService } from './auth/index.js';
import { Clock, SystemClock } from './clock.js';
import { Config } from './config/index.js';
import { CountingService, LinkUsesRepository, LinkUsesService } from './counting/index.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { HealthChecksService } from './health/health-checks.service.js';
import { MachineChecksService } from './health/machine-checks.service.js';
import { ReadyDetailsService } from './health/ready-details.service.js';
import { inputValidation, RateLimitsService } from './http/index.js';
import { RateLimitGuard } from './http/rate-limit.guard.js';
import { ProblemFilter } from './http/render-error.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { Log } from './logging/index.js';
import { QuotasRepository, QuotasService } from './quotas/index.js';
import { ReferencesRepository, TextErasureRepository, WorkInProgressService } from './removal/index.js';
import { SealedTextsRepository, SecretBoxService, SecretReencryptionService } from './secrets/index.js';
import { TracingService } from './tracing/index.js';
import { PagesService, ProblemPagesService } from './web/index.js';
import { UnknownAddressFilter } from './web/unknown-address.filter.js';

/** Providers that every module may inject. */
const SHARED = [
  AuditService,
  CallerAuthenticationService,
  CountingService,
  HealthChecksService,
  IdempotencyService,
  LinkUsesRepository,
  LinkUsesService,
  PagesService,
  ProblemPagesService,
  QuotasRepository,
  QuotasService,
  RateLimitsService,
  ReadyDetailsService,
  ReferencesRepository,
  SealedTextsRepository,
  SecretBoxService,
  SecretReencryptionService,
  TextErasureRepository,
  TrustedOriginsService,
  WorkInProgressService,
];

/** The guards, pipes, interceptors and filters of every request to Nest; guards run in this order. */
const EVERY_REQUEST: Provider[] = [
  { provide: APP_GUARD, useClass: AuthenticationGuard },
  { provide: APP_GUARD, useClass: RateLimitGuard },
  { provide: APP_PIPE, useFactory: inputValidation, inject: [Config] },
  { provide: APP_FILTER, useClass: ProblemFilter },
  { provide: APP_FILTER, useClass: UnknownAddressFilter }, // asked before ProblemFilter, because Nest asks the last one first
];

/** The parts of the kernel that do not need a separate module, with the configuration and the log of this process. */
@Global()
@Module({ controllers: [HealthController] })
export class KernelModule implements OnApplicationShutdown {
  constructor(private readonly log: Log) {}

  onApplicationShutdown(): void {
    this.log.writeCounts();
  }

  static for(config: Config, log: Log): DynamicModule {
    const values = [
      { provide: Config, useValue: config },
      { provide: Log, useValue: log },
      { provide: Clock, useClass: SystemClock },
    ];
    return {
      module: KernelModule,
      providers: [...values, ...SHARED, ...EVERY_REQUEST, AdmissionService, HealthService, MachineChecksService, TracingService],
      exports: [Config, Log, Clock, ...SHARED],
    };
  }
}
