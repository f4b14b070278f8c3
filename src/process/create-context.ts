import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { migrations } from '../../migrations/index.js';
import { AppModule } from '../app.module.js';
import { completeEnvironment } from '../embedded/complete-environment.js';
import type { Config } from '../shared/config/index.js';
import { migrate } from '../shared/database/migrate.js';
import { createLog, nestLogger } from '../shared/logging/index.js';

/** Creates the service's modules without a web server or job worker, for commands; logs only warnings and errors, to stderr. */
export async function createContext(config: Config): Promise<INestApplicationContext> {
  const log = createLog({ level: 'warn', service: config.serviceName, destination: 'stderr' });
  const quiet: Config = { ...config, worker: 'off', rateLimit: 'off', rateLimits: null };
  return await NestFactory.createApplicationContext(AppModule.for(quiet, log), { logger: nestLogger(log), abortOnError: false });
}

type Work = (service: INestApplicationContext) => Promise<void>;

/**
 * Runs `work` with the service's modules, its database and, if needed, its object storage; embedded servers that no other program uses
 * are started before and stopped afterwards.
 */
export async function withService(config: Config, work: Work, { needsStorage = false } = {}): Promise<void> {
  const environment = await completeEnvironment(config, { needsStorage, inform: console.error });
  try {
    await migrate(environment.config.databaseUrl, migrations);
    const service = await createContext(environment.config);
    await work(service).finally(async () => await service.close());
  } finally {
    await environment.stop();
  }
}
