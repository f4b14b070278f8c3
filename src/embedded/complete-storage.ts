import path from 'node:path';
import type { Config } from '../shared/config/index.js';
import { holdObjectStorage } from './object-storage/hold-object-storage.js';
import { keepObjectStorage } from './object-storage/keep-object-storage.js';
import { isEveryAddress } from './object-storage/listen.js';
import { OBJECT_STORAGE_FOLDER } from './object-storage/settings.js';
import type { Hearer } from './postgres/keep-postgres.js';

type StorageSettings = Pick<Config, 's3Bucket' | 's3Endpoint' | 'stsEndpoint' | 'stsRoleArn' | 'awsRegion' | 'storageKey'>;

export interface CompletedStorage {
  /** What the configuration leaves open. */
  readonly settings: StorageSettings;
  release(): Promise<void>;
}

/** Starts, or adopts, the local object storage of a data directory. With `log` it is started again when it dies. */
export async function completeStorage(config: Config, log?: Hearer): Promise<CompletedStorage> {
  const place = { dataDir: path.join(config.dataDir, OBJECT_STORAGE_FOLDER), host: config.host, port: config.storagePort };
  const storage = log ? await keepObjectStorage(place, log) : await holdObjectStorage(place);
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

/** Clients upload directly: a service for other machines names its storage as it names itself. */
function publicEndpoint(endpoint: string, { host, publicUrl }: Config): string {
  if (!isEveryAddress(host)) return endpoint;
  const url = new URL(endpoint);
  url.hostname = new URL(publicUrl).hostname;
  return url.origin;
}
