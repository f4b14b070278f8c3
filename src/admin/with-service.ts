import type { INestApplicationContext } from '@nestjs/common';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { createContext } from '../process/create-context.js';
import type { Config } from '../shared/config/index.js';
import { migrate } from '../shared/database/migrate.js';

type Work = (service: INestApplicationContext) => Promise<void>;

/**
 * Runs `work` with the service's modules on its database, and on its object storage if it is needed; embedded ones that no other program uses
 * are started before and stopped after.
 */
export async function withService(config: Config, work: Work, { needsStorage = false } = {}): Promise<void> {
  const environment = await completeEnvironment(config, { needsStorage });
  try {
    await migrate(environment.config.databaseUrl);
    const service = await createContext(environment.config);
    await work(service).finally(async () => await service.close());
  } finally {
    await environment.stop();
  }
}
