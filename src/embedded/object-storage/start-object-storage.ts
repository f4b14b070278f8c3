import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { StartupError } from '../../shared/errors.js';
import { isStillRunning, processStartTime } from '../../shared/process-start-time.js';
import {
  ensureDataDir,
  errorCode,
  errorMessage,
  readIfExists,
  readOrCreateFile,
  toStartupError,
  withStartLock,
} from '../data-directory.js';
import { createObjectStorageServer, type ServerContext } from './http/create-server.js';
import { BUCKET, REGION, ROLE_ARN } from './settings.js';
import { Disk, PartFolders } from './store/disk.js';
import { ObjectStore } from './store/object-store.js';
import { UploadStore } from './store/upload-store.js';
import { type AccessKey, base32 } from './sts/authenticate.js';

interface ObjectStorageOptions {
  /** The storage's own folder; created if missing. */
  readonly dataDir: string;
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  readonly now?: () => Date;
  /** False for test runs: faster, but acknowledged writes may be lost when the machine fails. Default: true. */
  readonly durable?: boolean;
  /** False: no versioning, like an S3 bucket for which it was never enabled. Default: true. */
  readonly versions?: boolean;
  /** The Referer with which a CDN may read objects without a signature. Default: none. */
  readonly originSecret?: string | undefined;
}

/** The URL and the credentials of the storage. */
export interface ObjectStorageAddress {
  /** http://127.0.0.1:<port>, for both S3 and STS */
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
 * Starts a small S3 and STS in this process, for development and tests (see README.md beside this file).
 * @throws StartupError with what the operator can do
 */
export async function startObjectStorage(options: ObjectStorageOptions): Promise<RunningObjectStorage> {
  refuseInProduction();
  try {
    const dataDir = ensureDataDir(options.dataDir);
    await claim(dataDir);
    return await serve({ ...options, dataDir }).catch((error: unknown) => {
      removeServerFile(dataDir);
      throw error;
    });
  } catch (error) {
    throw toStartupError(error, path.resolve(options.dataDir));
  }
}

/** The address of the storage in a data directory, if it listens at `endpoint`. */
export async function addressOf(dataDir: string, endpoint: string): Promise<ObjectStorageAddress> {
  const { key } = await readOrMakeSecrets(dataDir);
  return { endpoint, bucket: BUCKET, region: REGION, roleArn: ROLE_ARN, key };
}

function refuseInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return;
  throw new StartupError('The local object storage is for development and tests: with NODE_ENV=production set S3_BUCKET and STS_ROLE_ARN.');
}

/** Claims the folder for this process, because two processes would destroy each other's files. */
async function claim(dataDir: string): Promise<void> {
  await withStartLock(dataDir, async () => {
    const server = findServer(dataDir);
    if (server) throw new StartupError(`Process ${server.pid} serves ${dataDir} already: stop it, or set DATA_DIR to another folder.`);
    writeServerFile(dataDir, '');
  });
}

async function serve(options: ObjectStorageOptions): Promise<RunningObjectStorage> {
  const { dataDir, host, port, now = () => new Date(), durable = true, versions = true, originSecret } = options;
  const { key, secret } = await readOrMakeSecrets(dataDir);
  const disk = await Disk.open(dataDir, durable);
  const partFolders = new PartFolders(disk);
  const objects = new ObjectStore({ disk, partFolders }, BUCKET, versions);
  const uploads = new UploadStore({ disk, partFolders, objects }, BUCKET);
  const report: ServerContext['report'] = (error) => console.error('local object storage:', error);
  const server = createObjectStorageServer({
    authority: { key, secret, now, originSecret },
    stores: { disk, objects, uploads, now },
    report,
  });
  const endpoint = await listen(server, host, port);
  writeServerFile(dataDir, endpoint);
  const tidying = uploads.tidy().catch(report); // runs while the first requests are served
  const close = async () => {
    await endServer(server);
    await tidying;
    removeServerFile(dataDir);
  };
  return { ...(await addressOf(dataDir, endpoint)), close };
}

/** Closes the server and all connections: incomplete requests leave nothing behind anyway. */
async function endServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** Listens; returns the URL for clients on this machine. @throws StartupError with what the operator can do */
async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw new StartupError(explain(error, host, port), { cause: error });
  }
  return `http://${reachable(host)}:${(server.address() as AddressInfo).port}`;
}

function reachable(host: string): string {
  if (isEveryAddress(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether a host means every address of this machine, so that clients cannot connect to it as written. */
export const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

function explain(error: unknown, host: string, port: number): string {
  const way = `choose another one for the local object storage, e.g. STORAGE_PORT=${port + 10}, or STORAGE_PORT=0 for any free one.`;
  if (errorCode(error) === 'EADDRINUSE') return `Port ${port} is taken: ${way}`;
  if (errorCode(error) === 'EACCES') return `Port ${port} needs more rights than this user has: ${way}`;
  return `The local object storage cannot listen on ${host}:${port}: ${errorMessage(error)}`;
}

/** The secrets of a data directory: created once, readable only by its owner. */
interface Secrets {
  readonly key: AccessKey;
  /** Encrypts session tokens. */
  readonly secret: string;
}

const SECRETS_FILE = 'secrets.json';

export async function readOrMakeSecrets(dataDir: string): Promise<Secrets> {
  return JSON.parse(await readOrCreateFile(dataDir, SECRETS_FILE, () => JSON.stringify(makeSecrets()))) as Secrets;
}

function makeSecrets(): Secrets {
  return {
    key: { accessKeyId: `AKIA${base32(randomBytes(16))}`, secretAccessKey: randomBytes(30).toString('base64') },
    secret: randomBytes(32).toString('base64'),
  };
}

/** The process that serves a data directory. */
export interface ServerRecord {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly startTime: string;
  /** Empty until the server listens. */
  readonly endpoint: string;
}

const SERVER_FILE = 'server.json';

function writeServerFile(dataDir: string, endpoint: string): void {
  const note: ServerRecord = { pid: process.pid, startTime: processStartTime(process.pid) ?? '', endpoint };
  const unfinished = path.join(dataDir, `${SERVER_FILE}.${randomBytes(4).toString('hex')}`);
  writeFileSync(unfinished, JSON.stringify(note), { mode: 0o600 });
  renameSync(unfinished, path.join(dataDir, SERVER_FILE));
}

/** The living process that serves a data directory; null if there is none. */
export function findServer(dataDir: string): ServerRecord | null {
  const note = readNote(dataDir);
  return note !== null && isStillRunning(note.pid, note.startTime) ? note : null;
}

function removeServerFile(dataDir: string): void {
  rmSync(path.join(dataDir, SERVER_FILE), { force: true });
}

function readNote(dataDir: string): ServerRecord | null {
  const text = readIfExists(path.join(dataDir, SERVER_FILE));
  return text === null ? null : (JSON.parse(text) as ServerRecord);
}
