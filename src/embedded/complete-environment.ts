import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../shared/config/index.js';
import { completeStorage } from './complete-storage.js';
import { madeOnce } from './made-once.js';
import { holdPostgres } from './postgres/hold-postgres.js';
import { type Hearer, keepPostgres } from './postgres/keep-postgres.js';
import { startTogether } from './start-together.js';

export interface Environment {
  readonly config: Config;
  /** Whether the embedded database serves this installation (and the demo login belongs to it). */
  readonly embedded: boolean;
  /** Ends what was started, unless another program of the same data directory uses it. */
  stop(): Promise<void>;
}

export interface EnvironmentOptions {
  /** Embedded parts are started again when they die, and this hears of it; commands, which are over soon, do without. */
  readonly keepRunning?: Hearer;
  /** False: without the local object storage. Default: with what keeps running. */
  readonly needsStorage?: boolean;
}

/** Fills what the configuration leaves open with the embedded parts: a PostgreSQL, an object storage and a secret of DATA_DIR. */
export async function completeEnvironment(config: Config, options: EnvironmentOptions = {}): Promise<Environment> {
  const { keepRunning, needsStorage = keepRunning !== undefined } = options;
  const dataDir = path.resolve(config.dataDir);
  const appSecret = config.appSecret || (await madeOnce(dataDir, 'app-secret', () => randomBytes(32).toString('base64url')));
  const { parts, release } = await startTogether({
    postgres: config.databaseUrl ? null : startPostgres(dataDir, keepRunning),
    storage: config.s3Bucket || !needsStorage ? null : completeStorage({ ...config, dataDir }, keepRunning),
  });
  return {
    config: { ...config, ...parts.storage?.settings, dataDir, appSecret, databaseUrl: parts.postgres?.url ?? config.databaseUrl },
    embedded: parts.postgres !== null,
    stop: release,
  };
}

async function startPostgres(dataDir: string, log?: Hearer): Promise<{ url: string; release(): Promise<void> }> {
  return log ? await keepPostgres(dataDir, log) : await holdPostgres(dataDir);
}
