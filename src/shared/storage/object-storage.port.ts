import type { Readable } from 'node:stream';
import type { BucketVersioning } from './bucket-versioning.js';

/** The current state of an object in the storage. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag without quotes; changes with the content. */
  readonly etag: string;
  /** Permanently identifies this content, whatever is written later; null in a bucket without versioning. */
  readonly version: string | null;
  /** The CRC-32 of the whole content as an unsigned number, where the storage keeps it; null otherwise, and in listings. */
  readonly crc32: number | null;
  readonly modifiedAt: Date;
}

/** One version of an object; it may be a delete marker. */
export interface ObjectVersion {
  readonly key: string;
  /** `null` for an object that was written without versioning. */
  readonly versionId: string;
}

/** A version with its size in bytes; 0 for a delete marker. */
export interface ListedVersion extends ObjectVersion {
  readonly size: number;
}

/** A multipart upload that was neither completed nor aborted. */
export interface OpenMultipartUpload {
  readonly key: string;
  readonly multipartId: string;
  readonly initiatedAt: Date;
}

/** The location of the bucket for clients. */
export interface StorageLocation {
  readonly bucket: string;
  readonly region: string;
  /** Set if the storage is not AWS; the bucket is then part of the path. */
  readonly endpoint: string | null;
}

/** Options for a URL with which any client can read one object until it expires. */
export interface ObjectUrlOptions {
  readonly key: string;
  /** The version to read; null: the current one. */
  readonly version: string | null;
  readonly expiresInSeconds: number;
  /** inline: for players and viewers; attachment: browsers save the file. */
  readonly disposition: 'inline' | 'attachment';
  /** The file name for saving. */
  readonly fileName: string;
  /** Media type of the response; absent: the stored one, which an uploader may have chosen. */
  readonly contentType?: string;
}

/** Bytes from `start` to `end`, both inclusive; without `end`, to the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** The version and the range to read. */
export interface ReadOptions {
  readonly range?: ByteRange;
  /** Null: the current version. */
  readonly version?: string | null;
}

/** An open object, or a range of it. */
export interface ReadObject {
  /** Must be read or destroyed, because it holds a connection. */
  readonly body: Readable;
  /** The number of bytes in `body`. */
  readonly size: number;
  readonly etag: string;
  /** The stored media type, which an uploader may have chosen. */
  readonly contentType: string | null;
  /** The range that is read and the total size in bytes; null: the whole object. */
  readonly range: { readonly start: number; readonly end: number; readonly total: number } | null;
}

/** The stored headers that the storage sends with an object; an uploader may have chosen them. Null: not stored. */
export interface StoredHeaders {
  readonly contentType: string | null;
  readonly contentDisposition: string | null;
  readonly contentEncoding: string | null;
}

/** A local file or a small content to be stored as an object. */
export interface NewObject {
  /** Absolute path of a file, which is streamed, so that memory does not depend on its size; or the content itself, at most some MiB. */
  readonly file: string | Uint8Array;
  /** Media type that the storage sends with the object. */
  readonly contentType: string;
  /** Cancels the write; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The object has no bytes in the requested range. */
export class UnsatisfiableRange extends Error {
  override readonly name = 'UnsatisfiableRange';
}

/**
 * The bucket of the service. Every method throws DomainError `storage_unavailable` if the storage does not respond, and `storage_denied`
 * if it denies a permission.
 */
export abstract class ObjectStorage {
  abstract readonly location: StorageLocation;

  /**
   * Whether the service may read versions. If not, the current version is read even if another one is given, and the entity tag
   * distinguishes them (AcceptedObjectsService).
   */
  abstract readonly readsVersions: boolean;

  /** Why the bucket cannot be used, as a sentence for the operator; null if it can. Calls the storage each time, and returns within seconds. */
  abstract findProblem(): Promise<string | null>;

  /** Why the last look at the versioning failed although an earlier one had an answer, as a sentence for the operator; null: it did not fail. */
  get versioningFailure(): string | null {
    return null;
  }

  /** The versioning of the bucket; cached for a minute. */
  abstract versioning(): Promise<BucketVersioning>;

  /** The object with this key, or null if it does not exist; with `version`, that version of it. */
  abstract find(key: string, version?: string | null): Promise<StoredObject | null>;

  /** The stored headers of an object, or null if it does not exist; with `version`, those of that version. */
  abstract findHeaders(key: string, version?: string | null): Promise<StoredHeaders | null>;

  /**
   * Opens an object, a version or a range of it; null if it does not exist.
   * @throws UnsatisfiableRange
   */
  abstract read(key: string, reading?: ReadOptions): Promise<ReadObject | null>;

  /**
   * Writes a file to a key, replacing the current object. The object is complete or absent; parts of an incomplete upload remain only
   * if the storage becomes unavailable meanwhile.
   */
  abstract write(key: string, object: NewObject): Promise<StoredObject>;

  /**
   * A URL that reads the object directly from the storage. The object need not exist; the URL expires with the credentials of the service.
   */
  abstract signedUrl(options: ObjectUrlOptions): Promise<string>;

  /** All objects whose key starts with `prefix`, sorted by key. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** All versions of the objects whose key starts with `prefix`; empty if the bucket has none or the service may not list them. */
  abstract listVersions(prefix: string): AsyncIterable<ListedVersion>;

  /** Deletes versions permanently; missing ones are ignored. */
  abstract deleteVersions(versions: readonly ObjectVersion[]): Promise<void>;

  /** Deletes an object with all of its versions; a missing object is ignored. */
  abstract delete(key: string): Promise<void>;

  /** Deletes many objects with all of their versions; missing objects are ignored. */
  abstract deleteMany(keys: readonly string[]): Promise<void>;

  abstract listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload>;

  /** The sizes in bytes of the parts that have arrived; empty if the upload does not exist or the service may not list them. */
  abstract listPartSizes(upload: OpenMultipartUpload): AsyncIterable<number>;

  /** Aborts a multipart upload and deletes its parts; a missing upload is ignored. */
  abstract abortMultipartUpload(upload: OpenMultipartUpload): Promise<void>;
}

/** Reads a listing to its end. */
export async function collect<Entry>(listing: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of listing) entries.push(entry);
  return entries;
}
