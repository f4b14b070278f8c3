import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../shared/config/index.js';
import { readOrCreateFile } from './data-directory.js';
import { acquireObjectStorage, OBJECT_STORAGE_FOLDER, superviseObjectStorage } from './object-storage/acquire-object-storage.js';
import { acquirePostgres, supervisePostgres } from './postgres/start-embedded-postgres.js';
import type { SupervisionLog } from './supervise-server.js';

export interface Environment {
  readonly config: Config;
  /** Whether this installation uses the embedded database (and therefore has the demo login). */
  readonly embedded: boolean;
  /** Stops what was started, unless another program uses it for the same data directory. */
  stop(): Promise<void>;
}

interface EnvironmentOptions {
  /** If set, embedded parts are restarted when they die, and this log records it. Short-lived commands leave it out. */
  readonly keepRunning?: SupervisionLog;
  /** False: without the local object storage. Default: true if `keepRunning` is set. */
  readonly needsStorage?: boolean;
  /** Receives a line if the database of DATA_DIR does not exist yet, because a command may have the wrong DATA_DIR. */
  readonly inform?: (line: string) => void;
  /** Aborts the start of the database, which then throws the signal's reason. */
  readonly interrupted?: AbortSignal;
}

/** Completes a configuration with embedded parts: PostgreSQL, object storage and a secret stored in DATA_DIR. */
export async function completeEnvironment(config: Config, options: EnvironmentOptions = {}): Promise<Environment> {
  const { keepRunning, needsStorage = keepRunning !== undefined } = options;
  const dataDir = path.resolve(config.dataDir);
  const appSecret = config.appSecret || (await readOrCreateFile(dataDir, 'app-secret', () => randomBytes(32).toString('base64url')));
  const { parts, release } = await startTogether({
    postgres: config.databaseUrl ? null : startPostgres(dataDir, options),
    storage: config.s3Bucket || !needsStorage ? null : completeStorage({ ...config, dataDir }, keepRunning),
  });
  return {
    config: { ...config, ...parts.storage?.settings, dataDir, appSecret, databaseUrl: parts.postgres?.url ?? config.databaseUrl },
    embedded: parts.postgres !== null,
    stop: release,
  };
}

async function startPostgres(
  dataDir: string,
  { keepRunning, inform, interrupted }: EnvironmentOptions,
): Promise<{ url: string; release(): Promise<void> }> {
  const options = { dataDir, log: inform, interrupted };
  return keepRunning ? await supervisePostgres(options, keepRunning) : await acquirePostgres(options);
}

type StorageSettings = Pick<Config, 's3Bucket' | 's3Endpoint' | 'stsEndpoint' | 'stsRoleArn' | 'awsRegion' | 'storageKey'>;

interface CompletedStorage {
  /** The settings that the configuration leaves open. */
  readonly settings: StorageSettings;
  release(): Promise<void>;
}

/** Starts the local object storage of a data directory, or uses a running one. With `log` it is restarted when it dies. */
async function completeStorage(config: Config, log?: SupervisionLog): Promise<CompletedStorage> {
  const { host, storagePort: port, mediaCdnOriginSecret: originSecret } = config;
  const place = { dataDir: path.join(config.dataDir, OBJECT_STORAGE_FOLDER), host, port, originSecret };
  const storage = log ? await superviseObjectStorage(place, log) : await acquireObjectStorage(place);
  const endpoint = publicEndpoint(storage.endpoint, config);
  const settings = {
    s3Bucket: storage.bucket,
    s3Endpoint: endpoint,
    stsEndpoint: endpoint,
    stsRoleArn: storage.roleArn,
    awsRegion: storage.region,
    storageKey: storage.key,
  };
  return { settings, release: storage.release };
}

/** Clients upload directly to the storage, so a service that listens on every address uses its own public host name in the storage's URL. */
function publicEndpoint(endpoint: string, { host, publicUrl }: Config): string {
  if (host !== '0.0.0.0' && host !== '::') return endpoint;
  const url = new URL(endpoint);
  url.hostname = new URL(publicUrl).hostname;
  return url.origin;
}

/** A started part that can be released. */
interface Part {
  release(): Promise<void>;
}

type Started<T> = { readonly [Name in keyof T]: Awaited<T[Name]> };

/**
 * Waits for parts that start concurrently; null is a part that is not needed. If one does not start, the others are released and its
 * error is thrown.
 */
async function startTogether<T extends Readonly<Record<string, Promise<Part> | null>>>(
  starting: T,
): Promise<{ parts: Started<T>; release(): Promise<void> }> {
  const results = await Promise.allSettled(Object.values(starting));
  const started = results.map((result) => (result.status === 'fulfilled' ? result.value : null));
  const release = async () => {
    await Promise.all(started.map(async (part) => await part?.release()));
  };
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await release();
    throw failure.reason;
  }
  const parts = Object.fromEntries(Object.keys(starting).map((name, index) => [name, started[index]]));
  return { parts: parts as Started<T>, release };
}
