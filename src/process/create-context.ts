import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import type { Config } from '../shared/config/index.js';
import { createLog, nestLogger } from '../shared/logging/index.js';

/** The service's modules without a web server or job worker, for commands; only what goes wrong is logged, to stderr. */
export async function createContext(config: Config): Promise<INestApplicationContext> {
  const log = createLog({ level: 'warn', service: config.serviceName, destination: 'stderr' });
  const quiet: Config = { ...config, worker: 'off', rateLimit: 'off', rateLimits: null };
  return await NestFactory.createApplicationContext(AppModule.for(quiet, log), { logger: nestLogger(log), abortOnError: false });
}
