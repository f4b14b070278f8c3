import type { Server } from 'node:http';
import path from 'node:path';
import { StartupError } from '../../shared/errors/startup-error.js';
import { ensureDataDir } from '../postgres/ensure-data-dir.js';
import { toStartupError } from '../postgres/to-startup-error.js';
import { withStartLock } from '../postgres/with-start-lock.js';
import { createObjectStorageServer, type ServerContext } from './http/create-server.js';
import { listen } from './listen.js';
import { readOrMakeSecrets } from './secrets.js';
import { findServer, forgetServer, noteServer } from './server-file.js';
import { BUCKET, REGION, ROLE_ARN } from './settings.js';
import { Disk } from './store/disk.js';
import { ObjectStore } from './store/object-store.js';
import { PartFolders } from './store/part-folders.js';
import { UploadStore } from './store/upload-store.js';

export interface ObjectStorageOptions {
  /** A folder of its own, made if missing. */
  readonly dataDir: string;
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  readonly now?: () => Date;
  /** False for test runs: quicker, but what was acknowledged may be lost when the machine fails. Default true. */
  readonly durable?: boolean;
  /** False: the bucket keeps no versions, like one of S3 for which versioning was never enabled. Default true. */
  readonly versions?: boolean;
}

/** Where the storage is and how to use it. */
export interface ObjectStorageAddress {
  /** http://127.0.0.1:<port>, of S3 and STS alike */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly roleArn: string;
  /** The long-lived key of the service. */
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface RunningObjectStorage extends ObjectStorageAddress {
  close(): Promise<void>;
}

/**
 * A small S3 and STS in this process, for development and tests (see README.md beside this file).
 * @throws StartupError with what the operator can do
 */
export async function startObjectStorage(options: ObjectStorageOptions): Promise<RunningObjectStorage> {
  refuseInProduction();
  try {
    const dataDir = ensureDataDir(options.dataDir);
    await claim(dataDir);
    return await serve({ ...options, dataDir }).catch((error: unknown) => {
      forgetServer(dataDir);
      throw error;
    });
  } catch (error) {
    throw toStartupError(error, path.resolve(options.dataDir));
  }
}

/** The address of the storage of a data directory that is served at `endpoint`. */
export async function addressOf(dataDir: string, endpoint: string): Promise<ObjectStorageAddress> {
  const { key } = await readOrMakeSecrets(dataDir);
  return { endpoint, bucket: BUCKET, region: REGION, roleArn: ROLE_ARN, key };
}

function refuseInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return;
  throw new StartupError('The local object storage is for development and tests: with NODE_ENV=production set S3_BUCKET and STS_ROLE_ARN.');
}

/** Two processes on one folder would destroy each other's files. */
async function claim(dataDir: string): Promise<void> {
  await withStartLock(dataDir, async () => {
    const server = findServer(dataDir);
    if (server) throw new StartupError(`Process ${server.pid} serves ${dataDir} already: stop it, or set DATA_DIR to another folder.`);
    noteServer(dataDir, '');
  });
}

async function serve(options: ObjectStorageOptions): Promise<RunningObjectStorage> {
  const { dataDir, host, port, now = () => new Date(), durable = true, versions = true } = options;
  const { key, secret } = await readOrMakeSecrets(dataDir);
  const disk = await Disk.open(dataDir, durable);
  const partFolders = new PartFolders(disk);
  const objects = new ObjectStore({ disk, partFolders }, BUCKET, versions);
  const uploads = new UploadStore({ disk, partFolders, objects }, BUCKET);
  const report: ServerContext['report'] = (error) => console.error('local object storage:', error);
  const server = createObjectStorageServer({ authority: { key, secret, now }, stores: { disk, objects, uploads, now }, report });
  const endpoint = await listen(server, host, port);
  noteServer(dataDir, endpoint);
  const tidying = uploads.tidy().catch(report); // beside the first requests
  const close = async () => {
    await endServer(server);
    await tidying;
    forgetServer(dataDir);
  };
  return { ...(await addressOf(dataDir, endpoint)), close };
}

/** Requests under way end with their connection: what is not complete is not kept anyway. */
async function endServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
