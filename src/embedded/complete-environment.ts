import path from 'node:path';
import { type Config } from '../shared/config/index.js';
import { readOrMakeAppSecret } from './app-secret.js';
import { startEmbeddedPostgres } from './postgres/start-embedded-postgres.js';

export interface Environment {
  readonly config: Config;
  /** Whether the embedded database serves this installation (and the demo login belongs to it). */
  readonly embedded: boolean;
  /** Whether the embedded database ran already: another process of this installation owns it. */
  readonly adopted: boolean;
  stop(): Promise<void>;
}

/** Fills what the configuration leaves open with the embedded parts: a PostgreSQL and a secret of DATA_DIR. */
export async function completeEnvironment(config: Config): Promise<Environment> {
  const dataDir = path.resolve(config.dataDir);
  const postgres = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir });
  const appSecret = config.appSecret || readOrMakeAppSecret(dataDir);
  return {
    config: { ...config, dataDir, appSecret, databaseUrl: postgres?.url ?? config.databaseUrl },
    embedded: postgres !== null,
    adopted: postgres?.adopted ?? false,
    stop: async () => await postgres?.stop(),
  };
}
