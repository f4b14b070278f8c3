import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { inputValidation } from './input-validation.js';
import { ProblemFilter } from './problem.filter.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter } from './rate-limiter.js';

/** What every route shares. Imported after AuthModule, so that its guard runs after authentication. */
@Global()
@Module({
  providers: [
    RateLimiter,
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useFactory: inputValidation },
  ],
  exports: [RateLimiter],
})
export class HttpModule {}
