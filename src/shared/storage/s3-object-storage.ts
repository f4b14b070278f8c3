import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type _Error as S3Error,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Log } from '../logging/index.js';
import { s3ClientOptions } from './aws-client-options.js';
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
import { isDenied, prefixOf, type StorageOperation, storageDenied, storageUnavailable } from './storage.errors.js';
import { writeObject } from './write-object.js';

/** What one DeleteObjects takes. */
const MOST_DELETED = 1_000;
/** Of those that are deleted one by one. */
const DELETED_AT_ONCE = 8;

/** ObjectStorage on Amazon S3 and everything that speaks its protocol. */
@Injectable()
export class S3ObjectStorage extends ObjectStorage implements OnApplicationShutdown {
  readonly location: StorageLocation;
  private readonly client: S3Client;
  private readonly bucket: string;
  /** The storage was seen to refuse DeleteObjects and to allow DeleteObject. */
  private deletesSingly = false;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    super();
    this.bucket = config.s3Bucket;
    this.location = { bucket: config.s3Bucket, region: config.awsRegion, endpoint: config.s3Endpoint || null };
    this.client = new S3Client(s3ClientOptions(config));
  }

  async find(key: string): Promise<StoredObject | null> {
    return await this.reach(on('HeadObject', key), async () => {
      const found = await unlessMissing(this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key })));
      if (!found) return null;
      const { ContentLength: size = 0, ETag: etag, VersionId: version = null, LastModified: modifiedAt } = found;
      return { key, size, etag: unquoted(etag), version, modifiedAt: modifiedAt ?? new Date() };
    });
  }

  async read(key: string, range?: ByteRange): Promise<ReadObject | null> {
    return await this.reach(on('GetObject', key), async () => {
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
    const target = { Bucket: this.bucket, Key: key };
    await this.reach(on('PutObject', key), async () => await writeObject(this.client, target, object), object.signal);
    const written = await this.find(key);
    if (!written) throw storageUnavailable(); // somebody else deleted it, or the storage is not of one mind
    return written;
  }

  async signedUrl(options: ObjectUrlOptions): Promise<string> {
    // The provider remembers what it found, and asks its sources again only when that is about to expire.
    return await this.reach(on('GetObject', options.key), async () => {
      return await signObjectUrl(this.location, await this.client.config.credentials(), options);
    });
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: prefix })[Symbol.asyncIterator]();
    const next = async () => await this.reach(on('ListObjectsV2', prefix), () => pages.next());
    for (let page = await next(); !page.done; page = await next()) {
      for (const { Key: key = '', Size: size = 0, ETag: etag, LastModified: modifiedAt = new Date() } of page.value.Contents ?? []) {
        yield { key, size, etag: unquoted(etag), version: null, modifiedAt };
      }
    }
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += MOST_DELETED) {
      const some = keys.slice(first, first + MOST_DELETED);
      if (this.deletesSingly || !(await this.deleteTogether(some))) await this.deleteSingly(some);
    }
  }

  /** False when the storage refuses the call as such: radosgw wants the right on the whole bucket for it, and not on the objects. */
  private async deleteTogether(keys: readonly string[]): Promise<boolean> {
    return await this.reach(on('DeleteObjects', keys[0]), async () => {
      const Objects = keys.map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } });
      const answer = await this.client.send(command).catch((error: unknown) => {
        if (isDenied(error)) return null;
        throw error;
      });
      const [error] = answer?.Errors ?? [];
      if (error) throw notDeleted(answer?.Errors?.length ?? 1, error);
      return answer !== null;
    });
  }

  private async deleteSingly(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += DELETED_AT_ONCE) {
      await Promise.all(keys.slice(first, first + DELETED_AT_ONCE).map(async (key) => await this.delete(key)));
    }
    this.deletesSingly = true; // not before it has worked: the right itself may have been missing
  }

  async delete(key: string): Promise<void> {
    await this.reach(
      on('DeleteObject', key),
      async () => await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key })),
    );
  }

  async *listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload> {
    const uploads = listMultipartUploads(this.client, this.bucket, prefix)[Symbol.asyncIterator]();
    const next = async () => await this.reach(on('ListMultipartUploads', prefix), () => uploads.next());
    for (let upload = await next(); !upload.done; upload = await next()) {
      yield upload.value;
    }
  }

  async abortMultipartUpload({ key, multipartId }: OpenMultipartUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket: this.bucket, Key: key, UploadId: multipartId });
    await this.reach(on('AbortMultipartUpload', key), async () => await unlessMissing(this.client.send(command)));
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private async reach<T>(wanted: StorageOperation, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (err) {
      signal?.throwIfAborted();
      if (err instanceof S3ServiceException && err.name === 'InvalidRange') throw new UnsatisfiableRange();
      const denied = isDenied(err);
      this.log.error(
        { ...wanted, bucket: this.bucket, err },
        denied ? 'the object storage denied an operation' : 'the object storage failed',
      );
      throw denied ? storageDenied(wanted) : storageUnavailable();
    }
  }
}

const on = (operation: string, key = ''): StorageOperation => ({ operation, keyPrefix: prefixOf(key) });

/** Under the code of the first of them. */
function notDeleted(count: number, { Key, Code, Message }: S3Error): Error {
  const error = new Error(`${count} objects were not deleted; ${Key}: ${Code} ${Message}`);
  error.name = Code ?? 'Error';
  return error;
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
