import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { claimFolder, removeServerFile, writeServerFile } from './folder-claim.js';
import { createObjectStorageServer, type ServerContext } from './http/create-server.js';
import { LocalStorageError } from './local-storage-error.js';
import { readOrMakeSecrets, type Secrets } from './secrets.js';
import { BUCKET, REGION, ROLE_ARN } from './settings.js';
import { Disk, errorCode, PartFolders } from './store/disk.js';
import { ObjectStore } from './store/object-store.js';
import { UploadStore } from './store/upload-store.js';

export interface LocalStorageOptions {
  /** The storage's own folder; created if missing. */
  readonly dataDirectory: string;
  /** Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  readonly now?: () => Date;
  /** False for test runs: faster, but acknowledged writes may be lost when the machine fails. Default: true. */
  readonly durable?: boolean;
  /** False: no versioning, like an S3 bucket for which it was never enabled. Default: true. */
  readonly versions?: boolean;
  /** The Referer with which a CDN may read objects without a signature. Default: no Referer suffices. */
  readonly originSecret?: string | undefined;
}

/** The URL and the credentials of the storage. */
export interface LocalStorageAddress {
  /** http://127.0.0.1:<port>, for both S3 and STS */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly roleArn: string;
  /** The long-lived key of the owner. */
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface LocalStorage extends LocalStorageAddress {
  /** Ends all connections and releases the folder. */
  close(): Promise<void>;
}

/**
 * Starts a small S3 and STS in this process, for development and tests (see README.md).
 * @throws LocalStorageError with what to do; the file system's error if the folder cannot be used
 */
export async function startLocalStorage(options: LocalStorageOptions): Promise<LocalStorage> {
  refuseInProduction();
  const folder = path.resolve(options.dataDirectory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const dataDirectory = realpathSync(folder);
  await claimFolder(dataDirectory);
  try {
    return await serve({ ...options, dataDirectory });
  } catch (error) {
    removeServerFile(dataDirectory);
    throw error;
  }
}

/** The address of the storage that listens at `endpoint`. */
export const addressOf = (endpoint: string, { key }: Secrets): LocalStorageAddress => ({
  endpoint,
  bucket: BUCKET,
  region: REGION,
  roleArn: ROLE_ARN,
  key,
});

function refuseInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return;
  const advice = 'with NODE_ENV=production use an S3 with a security token service.';
  throw new LocalStorageError('production', 'The local object storage is for development and tests', advice);
}

async function serve(options: LocalStorageOptions): Promise<LocalStorage> {
  const { dataDirectory, host = '127.0.0.1', port, now = () => new Date(), durable = true, versions = true, originSecret } = options;
  const secrets = readOrMakeSecrets(dataDirectory);
  const disk = await Disk.open(dataDirectory, durable);
  const partFolders = new PartFolders(disk);
  const objects = new ObjectStore({ disk, partFolders }, BUCKET, versions);
  const uploads = new UploadStore({ disk, partFolders, objects }, BUCKET);
  const report: ServerContext['report'] = (error) => console.error('local object storage:', error);
  const server = createObjectStorageServer({
    authority: { ...secrets, now, originSecret },
    stores: { disk, objects, uploads, now },
    report,
  });
  const endpoint = await listen(server, host, port);
  writeServerFile(dataDirectory, endpoint);
  const tidying = uploads.tidy().catch(report); // runs while the first requests are served
  const close = async () => {
    await endServer(server);
    await tidying;
    removeServerFile(dataDirectory);
  };
  return { ...addressOf(endpoint, secrets), close };
}

/** Closes the server and all connections: incomplete requests leave nothing behind anyway. */
async function endServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** Listens; returns the URL for clients on this machine. @throws LocalStorageError with what to do */
async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw explain(error, host, port);
  }
  return `http://${reachable(host)}:${(server.address() as AddressInfo).port}`;
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'; // every address of this machine
  return host.includes(':') ? `[${host}]` : host;
}

function explain(error: unknown, host: string, port: number): LocalStorageError {
  const advice = 'choose another one, or 0 for any free one.';
  if (errorCode(error) === 'EADDRINUSE') return new LocalStorageError('port_unusable', `Port ${port} is taken`, advice);
  if (errorCode(error) === 'EACCES')
    return new LocalStorageError('port_unusable', `Port ${port} needs more rights than this user has`, advice);
  const { message } = error as Error;
  return new LocalStorageError('cannot_listen', `The local object storage cannot listen on ${host}:${port}`, message);
}
