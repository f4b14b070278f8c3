import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../shared/config/index.js';
import { madeOnce } from './made-once.js';
import { holdPostgres } from './postgres/hold-postgres.js';
import { type Hearer, keepPostgres } from './postgres/keep-postgres.js';

export interface Environment {
  readonly config: Config;
  /** Whether the embedded database serves this installation (and the demo login belongs to it). */
  readonly embedded: boolean;
  /** Ends what was started, unless another program of the same data directory uses it. */
  stop(): Promise<void>;
}

/**
 * Fills what the configuration leaves open with the embedded parts: a PostgreSQL and a secret of DATA_DIR. With `keepRunning` the
 * PostgreSQL is started again when it dies; commands, which are over soon, do without.
 */
export async function completeEnvironment(config: Config, options: { keepRunning?: Hearer } = {}): Promise<Environment> {
  const dataDir = path.resolve(config.dataDir);
  const appSecret = config.appSecret || (await madeOnce(dataDir, 'app-secret', () => randomBytes(32).toString('base64url')));
  const postgres = config.databaseUrl ? null : await startPostgres(dataDir, options.keepRunning);
  return {
    config: { ...config, dataDir, appSecret, databaseUrl: postgres?.url ?? config.databaseUrl },
    embedded: postgres !== null,
    stop: async () => await postgres?.release(),
  };
}

async function startPostgres(dataDir: string, log?: Hearer): Promise<{ url: string; release(): Promise<void> }> {
  return log ? await keepPostgres(dataDir, log) : await holdPostgres(dataDir);
}
