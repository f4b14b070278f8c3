import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalStorageAddress, startLocalStorage } from '@media-delivery/local-storage';
import type { Config } from '../../../src/shared/config/index.js';

type StorageSettings = Pick<Config, 's3Bucket' | 's3Endpoint' | 'stsEndpoint' | 'stsRoleArn' | 'awsRegion' | 'storageKey'>;

/** How the service is told to use a storage. */
export const settingsFor = ({ endpoint, bucket, region, roleArn, key }: LocalStorageAddress): StorageSettings => ({
  s3Bucket: bucket,
  s3Endpoint: endpoint,
  stsEndpoint: endpoint,
  stsRoleArn: roleArn,
  awsRegion: region,
  storageKey: key,
});

/** A local object storage of a test file's own, and the settings by which the service uses it. */
export interface TestStorage {
  readonly settings: StorageSettings;
  readonly address: LocalStorageAddress;
  /** Does not answer until it is started again, at the same address with the same objects. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestStorage(
  options: { now?: () => Date; versions?: boolean; originSecret?: string } = {},
): Promise<TestStorage> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'media-delivery-storage-'));
  const start = async (port: number) => await startLocalStorage({ dataDirectory, port, durable: false, ...options });
  let running = await start(0);
  const { endpoint } = running;
  return {
    settings: settingsFor(running),
    address: running,
    stop: async () => await running.close(),
    start: async () => {
      running = await start(Number(new URL(endpoint).port));
    },
    close: async () => {
      await running.close();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
