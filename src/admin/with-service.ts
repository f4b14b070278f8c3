import type { INestApplicationContext } from '@nestjs/common';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { createContext } from '../process/create-context.js';
import type { Config } from '../shared/config/index.js';
import { migrate } from '../shared/database/migrate.js';

/** Runs `work` with the service's modules on its database; an embedded one that nobody else uses is started before and stopped after. */
export async function withService(config: Config, work: (service: INestApplicationContext) => Promise<void>): Promise<void> {
  const environment = await completeEnvironment(config);
  try {
    await migrate(environment.config.databaseUrl);
    const service = await createContext(environment.config);
    await work(service).finally(async () => await service.close());
  } finally {
    await environment.stop();
  }
}
