import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { awsClientOptions } from './aws-client-options.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import {
  type ByteRange,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type OpenMultipartUpload,
  type ReadObject,
  type StorageLocation,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.js';
import { openedObject } from './opened-object.js';
import { signObjectUrl } from './sign-object-url.js';
import { storageUnavailable } from './storage.errors.js';
import { writeObject } from './write-object.js';

/** What one DeleteObjects takes. */
const MOST_DELETED = 1_000;

/** What failed is told by who asked; the SDK would write to the console that it does not try a stream again. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** ObjectStorage on Amazon S3 and everything that speaks its protocol. */
@Injectable()
export class S3ObjectStorage extends ObjectStorage implements OnApplicationShutdown {
  readonly location: StorageLocation;
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.bucket = config.s3Bucket;
    this.location = { bucket: config.s3Bucket, region: config.awsRegion, endpoint: config.s3Endpoint || null };
    this.client = new S3Client({
      ...awsClientOptions(config, config.s3Endpoint),
      forcePathStyle: config.s3Endpoint !== '',
      requestChecksumCalculation: 'WHEN_REQUIRED', // the notation for checksums behind a stream is unknown to some storages
      logger: SILENT,
    });
  }

  async find(key: string): Promise<StoredObject | null> {
    return await this.reach(async () => {
      const found = await unlessMissing(this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key })));
      if (!found) return null;
      const { ContentLength: size = 0, ETag: etag, VersionId: version = null, LastModified: modifiedAt } = found;
      return { key, size, etag: unquoted(etag), version, modifiedAt: modifiedAt ?? new Date() };
    });
  }

  async read(key: string, range?: ByteRange): Promise<ReadObject | null> {
    return await this.reach(async () => {
      const command = new GetObjectCommand({
        Bucket: this.bucket,
        Key: key,
        ...(range && { Range: `bytes=${range.start}-${range.end ?? ''}` }),
      });
      const found = await unlessMissing(this.client.send(command));
      return found && openedObject(found, unquoted(found.ETag));
    });
  }

  async write(key: string, object: NewObject): Promise<StoredObject> {
    await this.reach(async () => await writeObject(this.client, { Bucket: this.bucket, Key: key }, object), object.signal);
    const written = await this.find(key);
    if (!written) throw storageUnavailable(); // somebody else deleted it, or the storage is not of one mind
    return written;
  }

  async signedUrl(options: ObjectUrlOptions): Promise<string> {
    // The provider remembers what it found, and asks its sources again only when that is about to expire.
    return await this.reach(async () => await signObjectUrl(this.location, await this.client.config.credentials(), options));
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: prefix })[Symbol.asyncIterator]();
    for (let page = await this.reach(() => pages.next()); !page.done; page = await this.reach(() => pages.next())) {
      for (const { Key: key = '', Size: size = 0, ETag: etag, LastModified: modifiedAt = new Date() } of page.value.Contents ?? []) {
        yield { key, size, etag: unquoted(etag), version: null, modifiedAt };
      }
    }
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += MOST_DELETED) {
      const Objects = keys.slice(first, first + MOST_DELETED).map((Key) => ({ Key }));
      await this.reach(async () => {
        const { Errors = [] } = await this.client.send(new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } }));
        const [error] = Errors;
        if (error) throw new Error(`${Errors.length} objects were not deleted; ${error.Key}: ${error.Code} ${error.Message}`);
      });
    }
  }

  async delete(key: string): Promise<void> {
    await this.reach(async () => await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key })));
  }

  async *listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload> {
    const uploads = listMultipartUploads(this.client, this.bucket, prefix)[Symbol.asyncIterator]();
    for (let upload = await this.reach(() => uploads.next()); !upload.done; upload = await this.reach(() => uploads.next())) {
      yield upload.value;
    }
  }

  async abortMultipartUpload({ key, multipartId }: OpenMultipartUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket: this.bucket, Key: key, UploadId: multipartId });
    await this.reach(async () => await unlessMissing(this.client.send(command)));
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private async reach<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (err) {
      signal?.throwIfAborted();
      if (err instanceof S3ServiceException && err.name === 'InvalidRange') throw new UnsatisfiableRange();
      this.log.error({ err }, 'the object storage failed');
      throw storageUnavailable();
    }
  }
}

/** Null for an object or multipart upload that does not exist; a missing bucket is an error like any other. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const missing = error instanceof S3ServiceException && ['NotFound', 'NoSuchKey', 'NoSuchUpload'].includes(error.name);
    if (missing) return null;
    throw error;
  }
}

const unquoted = (etag = ''): string => etag.replaceAll('"', '');
