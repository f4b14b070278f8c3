import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type ObjectIdentifier,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { inSpan } from '../tracing/index.js';
import { type BucketVersioning, KnownVersioning, readBucketVersioning } from './bucket-versioning.js';
import {
  type ListedVersion,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type ObjectVersion,
  type OpenMultipartUpload,
  type ReadObject,
  type ReadOptions,
  type StorageLocation,
  type StoredHeaders,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.port.js';
import { bucketUrl, signObjectUrl } from './object-url.js';
import { OutageMemory } from './outage-memory.js';
import {
  answers,
  crc32Of,
  inTime,
  listMultipartUploads,
  listObjectVersions,
  listPartSizes,
  notDeleted,
  s3ClientOptions,
  toReadObject,
  tryCall,
  unlessDenied,
  unlessMissing,
  unquoted,
} from './s3-client.js';
import {
  describeFailure,
  describeOutage,
  isDenied,
  isUnanswered,
  prefixOf,
  type StorageOperation,
  storageDenied,
  storageUnavailable,
} from './storage.errors.js';
import { measureStorageCall } from './storage-metrics.js';
import { writeObject } from './write-object.js';

/** The maximum of DeleteObjects. */
const MAX_DELETED_TOGETHER = 1_000;
/** Maximum number of concurrent DeleteObject calls. */
const CONCURRENT_DELETES = 8;
/** Maximum number of concurrent version listings before objects are deleted. */
const CONCURRENT_LISTINGS = 16;
/** Operations that may take longer than it takes to notice that the storage is silent: they send a file, or delete many objects. */
const LONG_OPERATIONS = new Set(['PutObject', 'DeleteObjects']);

/** ObjectStorage on Amazon S3 and compatible storages. */
@Injectable()
export class S3ObjectStorage extends ObjectStorage implements OnApplicationShutdown {
  readonly location: StorageLocation;
  private readonly client: S3Client;
  private readonly bucket: string;
  /** The storage's host in messages for the operator. */
  private readonly host: string;
  private readonly knownVersioning: KnownVersioning;
  private readonly outage = new OutageMemory(
    async () => await answers(async (options) => await this.client.send(this.headBucket(), options)),
  );
  /** Whether the storage has refused DeleteObjects but allowed DeleteObject. */
  private deletesSingly = false;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.bucket = config.s3Bucket;
    this.location = { bucket: config.s3Bucket, region: config.awsRegion, endpoint: config.s3Endpoint || null };
    this.host = new URL(bucketUrl(this.location)).host;
    this.client = new S3Client(s3ClientOptions(config));
    const operation = operationOf('GetBucketVersioning');
    const read = async () => await readBucketVersioning(this.client, this.bucket);
    this.knownVersioning = new KnownVersioning(async () => await this.callStorage(operation, read));
  }

  async findProblem(): Promise<string | null> {
    try {
      await tryCall(async (options) => await this.client.send(this.headBucket(), options));
      this.outage.noteAnswer();
      return null;
    } catch (error) {
      return describeOutage(`object storage ${this.host}`, operationOf('HeadBucket'), error);
    }
  }

  private headBucket(): HeadBucketCommand {
    return new HeadBucketCommand({ Bucket: this.bucket });
  }

  get readsVersions(): boolean {
    return this.knownVersioning.last?.readable ?? true;
  }

  async versioning(): Promise<BucketVersioning> {
    return await this.knownVersioning.get();
  }

  override get versioningFailure(): string | null {
    if (!this.knownVersioning.isLastLookFailed) return null;
    return `The object storage ${this.host} does not say whether the bucket ${this.bucket} keeps versions; its last answer is used meanwhile.`;
  }

  private pin(version: string | null | undefined): { VersionId?: string } {
    return version && this.readsVersions ? { VersionId: version } : {};
  }

  async find(key: string, pinned?: string | null): Promise<StoredObject | null> {
    const found = await this.head(key, pinned);
    if (!found) return null;
    const { ContentLength: size = 0, ETag: etag, VersionId, LastModified: modifiedAt = new Date() } = found;
    return { key, size, etag: unquoted(etag), version: lastingVersion(VersionId), crc32: crc32Of(found), modifiedAt };
  }

  async findHeaders(key: string, pinned?: string | null): Promise<StoredHeaders | null> {
    const found = await this.head(key, pinned);
    if (!found) return null;
    const {
      ContentType: contentType = null,
      ContentDisposition: contentDisposition = null,
      ContentEncoding: contentEncoding = null,
    } = found;
    return { contentType, contentDisposition, contentEncoding };
  }

  private async head(key: string, pinned?: string | null): Promise<HeadObjectCommandOutput | null> {
    return await this.callStorage(operationOf('HeadObject', key), async () => {
      const version = this.pin(pinned);
      const ask = async (named: typeof version) =>
        await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key, ChecksumMode: 'ENABLED', ...named }));
      return await unlessMissing(
        ask(version).catch(async (error: unknown) => {
          if (!('VersionId' in version) || !(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== 400) throw error;
          await ask({}); // HEAD responses have no error code: this call fails too unless the version is the cause
          return null;
        }),
      );
    });
  }

  async read(key: string, { range, version }: ReadOptions = {}): Promise<ReadObject | null> {
    return await this.callStorage(operationOf('GetObject', key), async () => {
      const named = this.pin(version);
      const command = new GetObjectCommand({
        Bucket: this.bucket,
        Key: key,
        ...named,
        ...(range && { Range: `bytes=${range.start}-${range.end ?? ''}` }),
      });
      const found = await unlessMissing(this.client.send(command), named);
      return found && toReadObject(found);
    });
  }

  async write(key: string, object: NewObject): Promise<StoredObject> {
    const target = { Bucket: this.bucket, Key: key };
    const version = await this.callStorage(
      operationOf('PutObject', key),
      async () => await writeObject(this.client, target, object),
      object.signal,
    );
    const written = await this.find(key, lastingVersion(version));
    if (!written) throw storageUnavailable(); // another client has deleted it, or the storage is not consistent
    return written;
  }

  async signedUrl(options: ObjectUrlOptions): Promise<string> {
    // The provider caches credentials, and reads its sources again only shortly before they expire. The storage itself is not called.
    return await this.explainFailure(operationOf('GetObject', options.key), async () => {
      const version = this.pin(options.version).VersionId ?? null;
      return await signObjectUrl(this.location, await this.client.config.credentials(), { ...options, version });
    });
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: prefix });
    for await (const { Contents = [] } of this.pagesOf(operationOf('ListObjectsV2', prefix), pages)) {
      for (const { Key: key = '', Size: size = 0, ETag: etag, LastModified: modifiedAt = new Date() } of Contents) {
        yield { key, size, etag: unquoted(etag), version: null, crc32: null, modifiedAt };
      }
    }
  }

  async *listVersions(prefix: string): AsyncIterable<ListedVersion> {
    const { status } = await this.versioning();
    if (status === 'never') return;
    const pages = listObjectVersions(this.client, this.bucket, prefix);
    const accept = async <T>(page: Promise<T>) => await unlessDenied(page, status === 'unknown');
    for await (const page of this.pagesOf(operationOf('ListObjectVersions', prefix), pages, accept)) yield* page;
  }

  async deleteVersions(versions: readonly ObjectVersion[]): Promise<void> {
    await this.deleteAll(versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId })));
  }

  async delete(key: string): Promise<void> {
    await this.deleteMany([key]);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    if ((await this.versioning()).status === 'never') return await this.deleteAll(keys.map((Key) => ({ Key })));
    const limit = pLimit(CONCURRENT_LISTINGS);
    for (let first = 0; first < keys.length; first += MAX_DELETED_TOGETHER) {
      const chunk = keys.slice(first, first + MAX_DELETED_TOGETHER);
      const found = await Promise.all(chunk.map((key) => limit(async () => await this.versionsOf(key))));
      await this.deleteAll(found.flat());
    }
  }

  /** All versions of an object; only the object itself if the service may not list versions and sees none. */
  private async versionsOf(Key: string): Promise<ObjectIdentifier[]> {
    const found: ObjectIdentifier[] = [];
    for await (const { key, versionId } of this.listVersions(Key)) {
      if (key !== Key) break; // the key itself is listed before longer keys that begin with it
      found.push({ Key, VersionId: versionId });
    }
    const mayAsk = (await this.versioning()).status !== 'unknown';
    return found.length > 0 || mayAsk ? found : [{ Key }];
  }

  private async deleteAll(objects: readonly ObjectIdentifier[]): Promise<void> {
    for (let first = 0; first < objects.length; first += MAX_DELETED_TOGETHER) {
      const chunk = objects.slice(first, first + MAX_DELETED_TOGETHER);
      if (this.deletesSingly || !(await this.deleteTogether(chunk))) await this.deleteSingly(chunk);
    }
  }

  /** False if the storage denies the call itself: radosgw requires the permission on the bucket instead of the objects. */
  private async deleteTogether(objects: readonly ObjectIdentifier[]): Promise<boolean> {
    return await this.callStorage(operationOf('DeleteObjects', objects[0]?.Key), async () => {
      const command = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects: [...objects], Quiet: true } });
      const answer = await unlessDenied(this.client.send(command));
      const errors = (answer?.Errors ?? []).filter(({ Code }) => Code !== 'NoSuchVersion');
      const [error] = errors;
      if (error) throw notDeleted(errors.length, error);
      return answer !== null;
    });
  }

  private async deleteSingly(objects: readonly ObjectIdentifier[]): Promise<void> {
    for (let first = 0; first < objects.length; first += CONCURRENT_DELETES) {
      await Promise.all(objects.slice(first, first + CONCURRENT_DELETES).map(async (object) => await this.deleteOne(object)));
    }
    this.deletesSingly = true; // only after success, because the permission to delete may be missing altogether
  }

  private async deleteOne(object: ObjectIdentifier): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: object.Key, VersionId: object.VersionId });
    await this.callStorage(operationOf('DeleteObject', object.Key), async () => await unlessMissing(this.client.send(command), object));
  }

  async *listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload> {
    const pages = listMultipartUploads(this.client, this.bucket, prefix);
    for await (const page of this.pagesOf(operationOf('ListMultipartUploads', prefix), pages)) yield* page;
  }

  async *listPartSizes({ key, multipartId }: OpenMultipartUpload): AsyncIterable<number> {
    const pages = listPartSizes(this.client, { Bucket: this.bucket, Key: key, UploadId: multipartId });
    const accept = async <T>(page: Promise<T>) => await unlessDenied(unlessMissing(page));
    for await (const page of this.pagesOf(operationOf('ListParts', key), pages, accept)) yield* page;
  }

  async abortMultipartUpload({ key, multipartId }: OpenMultipartUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket: this.bucket, Key: key, UploadId: multipartId });
    await this.callStorage(operationOf('AbortMultipartUpload', key), async () => await unlessMissing(this.client.send(command)));
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  /** The pages of a listing, each requested by a call of its own; ends where `accept` returns null. */
  private async *pagesOf<Page>(
    wanted: StorageOperation,
    pages: AsyncIterable<Page>,
    accept = async <T>(page: Promise<T>): Promise<T | null> => await page,
  ): AsyncIterable<Page> {
    const iterator = pages[Symbol.asyncIterator]();
    const next = async () => await this.callStorage(wanted, async () => await accept(iterator.next()));
    for (let page = await next(); page && !page.done; page = await next()) yield page.value;
  }

  private async callStorage<T>(wanted: StorageOperation, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const span = { name: `storage ${wanted.operation}`, kind: 'client', attributes: { 'aws.s3.bucket': this.bucket } } as const;
    const timely = LONG_OPERATIONS.has(wanted.operation) ? call : async () => await inTime(call, async () => await this.outage.confirm());
    const explained = async () => {
      if (this.outage.isKnown) throw storageUnavailable();
      const answer = await this.explainFailure(wanted, timely, signal);
      this.outage.noteAnswer();
      return answer;
    };
    return await inSpan(span, async () => await measureStorageCall(wanted.operation, explained));
  }

  private async explainFailure<T>(wanted: StorageOperation, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (err) {
      signal?.throwIfAborted();
      if (err instanceof S3ServiceException && err.name === 'InvalidRange') throw new UnsatisfiableRange();
      if (isUnanswered(err)) void this.outage.confirm();
      const denied = isDenied(err);
      this.log.error(
        { ...wanted, host: this.host, bucket: this.bucket, ...describeFailure(err) },
        denied ? 'the object storage denied an operation' : 'the object storage failed',
      );
      throw denied ? storageDenied(wanted) : storageUnavailable();
    }
  }
}

const operationOf = (operation: string, key = ''): StorageOperation => ({ operation, keyPrefix: prefixOf(key) });

/** Without versioning an object has the version `null`, which the next write replaces, so it identifies nothing. */
const lastingVersion = (versionId: string | null | undefined): string | null => (versionId && versionId !== 'null' ? versionId : null);
