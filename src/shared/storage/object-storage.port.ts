import type { Readable } from 'node:stream';
import type { BucketVersioning } from './bucket-versioning.js';

/** An object as the storage knows it now. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag without quotes; changes with the content. */
  readonly etag: string;
  /** Names these bytes for ever, whatever is written later; null in a bucket that keeps no versions. */
  readonly version: string | null;
  readonly modifiedAt: Date;
}

/** One version of an object; it may be a delete marker. */
export interface ObjectVersion {
  readonly key: string;
  /** `null` for an object that was written while the bucket kept no versions. */
  readonly versionId: string;
}

/** A multipart upload that was neither completed nor aborted. */
export interface OpenMultipartUpload {
  readonly key: string;
  readonly multipartId: string;
  readonly initiatedAt: Date;
}

/** Where clients reach the bucket. */
export interface StorageLocation {
  readonly bucket: string;
  readonly region: string;
  /** Set where the storage is not AWS; the bucket is then part of the path. */
  readonly endpoint: string | null;
}

/** A URL with which one object can be read until it expires, by any client. */
export interface ObjectUrlOptions {
  readonly key: string;
  /** Which version it reads; null: the current one. */
  readonly version: string | null;
  readonly expiresInSeconds: number;
  /** inline: for players and viewers; attachment: browsers save it. */
  readonly disposition: 'inline' | 'attachment';
  /** The name under which it is saved. */
  readonly fileName: string;
  /** Media type of the answer; absent: the stored one, which an uploader may have chosen. */
  readonly contentType?: string;
}

/** Bytes from `start` to `end`, both inclusive; without `end` to the last one. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** Which part and version of an object is read. */
export interface ReadOptions {
  readonly range?: ByteRange;
  /** Null: the current version. */
  readonly version?: string | null;
}

/** An object, or a range of it, that is being read. */
export interface ReadObject {
  /** Has to be read or destroyed: it holds a connection. */
  readonly body: Readable;
  /** Bytes of `body`. */
  readonly size: number;
  readonly etag: string;
  /** As it was stored; an uploader may have chosen it. */
  readonly contentType: string | null;
  /** Which bytes of how many; null: all of them. */
  readonly range: { readonly start: number; readonly end: number; readonly total: number } | null;
}

/** Headers with which the storage answers an object, as they were stored; an uploader may have chosen them. Null: not stored. */
export interface StoredHeaders {
  readonly contentType: string | null;
  readonly contentDisposition: string | null;
  readonly contentEncoding: string | null;
}

/** A local file that becomes an object. */
export interface NewObject {
  /** Absolute path. The file is read while it is sent, so that memory does not depend on its size. */
  readonly file: string;
  /** Media type with which the storage answers it. */
  readonly contentType: string;
  /** Cancels the write; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The object has no bytes in the requested range. */
export class UnsatisfiableRange extends Error {
  override readonly name = 'UnsatisfiableRange';
}

/**
 * The bucket of the service. Every method throws DomainError `storage_unavailable` when the storage does not answer, and `storage_denied`
 * when it denies a right.
 */
export abstract class ObjectStorage {
  abstract readonly location: StorageLocation;

  /**
   * Whether the service may read versions. Where it may not, the current version is read although another one is named, and the entity tag
   * tells them apart (AcceptedObjectsService).
   */
  abstract readonly readsVersions: boolean;

  /** Why the bucket cannot be used, as a sentence for the operator; null: it can. Calls the storage each time, and ends within seconds. */
  abstract findProblem(): Promise<string | null>;

  /** The versioning of the bucket; cached for a minute. */
  abstract versioning(): Promise<BucketVersioning>;

  /** The object under a key, or null when it does not exist; with `version` that version of it. */
  abstract find(key: string, version?: string | null): Promise<StoredObject | null>;

  /** The stored headers of an object, or null when it does not exist; with `version` those of that version. */
  abstract findHeaders(key: string, version?: string | null): Promise<StoredHeaders | null>;

  /**
   * Opens an object, a version or a range of it; null when it does not exist.
   * @throws UnsatisfiableRange
   */
  abstract read(key: string, reading?: ReadOptions): Promise<ReadObject | null>;

  /**
   * Writes a file under a key, replacing the current object. The object is complete or absent; an incomplete upload stays in the storage only
   * when the storage becomes unavailable meanwhile.
   */
  abstract write(key: string, object: NewObject): Promise<StoredObject>;

  /**
   * A URL that reads the object directly from the storage. The object may not exist; the URL expires with the credentials of the service.
   */
  abstract signedUrl(options: ObjectUrlOptions): Promise<string>;

  /** All objects whose key starts with `prefix`, in the order of their keys. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** All versions of the objects whose key starts with `prefix`; none where the bucket has none or the service may not list them. */
  abstract listVersions(prefix: string): AsyncIterable<ObjectVersion>;

  /** Deletes versions for good; missing ones are ignored. */
  abstract deleteVersions(versions: readonly ObjectVersion[]): Promise<void>;

  /** Deletes an object with all of its versions; a missing one is ignored. */
  abstract delete(key: string): Promise<void>;

  /** Deletes many objects with all of their versions; missing ones are ignored. */
  abstract deleteMany(keys: readonly string[]): Promise<void>;

  abstract listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload>;

  /** Aborts a multipart upload and frees its parts; a missing one is ignored. */
  abstract abortMultipartUpload(upload: OpenMultipartUpload): Promise<void>;
}
