import type { Readable } from 'node:stream';
import type { BucketVersioning } from './bucket-versioning.js';

/** An object as the storage knows it now. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag without quotes; changes with the content. */
  readonly etag: string;
  /** What was written under the key in this moment, which no later write changes; null in a bucket that keeps no versions. */
  readonly version: string | null;
  readonly modifiedAt: Date;
}

/** One version of an object; it may be a mark that the object was deleted. */
export interface ObjectVersion {
  readonly key: string;
  /** `null` for what was written while the bucket kept no versions. */
  readonly versionId: string;
}

/** A multipart upload that was begun and neither completed nor aborted. */
export interface OpenMultipartUpload {
  readonly key: string;
  readonly multipartId: string;
  readonly initiatedAt: Date;
}

/** Where clients reach the bucket. */
export interface StorageLocation {
  readonly bucket: string;
  readonly region: string;
  /** Set where the storage is not AWS; the bucket then stands in the path. */
  readonly endpoint: string | null;
}

/** A URL by which anybody reads one object for a while. */
export interface ObjectUrlOptions {
  readonly key: string;
  /** Which version it reads; null: the current one. */
  readonly version: string | null;
  readonly expiresInSeconds: number;
  /** inline: for players and viewers; attachment: browsers save it. */
  readonly disposition: 'inline' | 'attachment';
  /** The name under which it is saved. */
  readonly fileName: string;
  /** Media type of the answer; absent: what the object was stored with, which strangers may have chosen. */
  readonly contentType?: string;
}

/** Bytes from `start` to `end`, both of them included; without `end` to the last one. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** What of an object is read. */
export interface Reading {
  readonly range?: ByteRange;
  /** Null: the current version. */
  readonly version?: string | null;
}

/** An object, or a range of it, on its way. */
export interface ReadObject {
  /** Has to be read or destroyed: it holds a connection. */
  readonly body: Readable;
  /** Bytes of `body`. */
  readonly size: number;
  readonly etag: string;
  /** As it was stored; strangers may have chosen it. */
  readonly contentType: string | null;
  /** Which bytes of how many; null: all of them. */
  readonly range: { readonly start: number; readonly end: number; readonly total: number } | null;
}

/** A file of this machine that becomes an object. */
export interface NewObject {
  /** Absolute. Its bytes are read as they are sent, so that memory stays the same whatever their number. */
  readonly file: string;
  /** Media type with which the storage answers it. */
  readonly contentType: string;
  /** Ends the writing; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The object has no bytes in the range that was asked for. */
export class UnsatisfiableRange extends Error {
  override readonly name = 'UnsatisfiableRange';
}

/** The bucket of the service. Every method throws DomainError `storage_unavailable` when the storage does not answer, `storage_denied` when it refuses. */
export abstract class ObjectStorage {
  abstract readonly location: StorageLocation;

  /**
   * Whether the service may read versions. Where it may not, the current version is read although another one is named, and the entity tag
   * tells them apart (AcceptedObjectsService).
   */
  abstract readonly readsVersions: boolean;

  /** What the bucket says of versions; remembered for a minute. */
  abstract versioning(): Promise<BucketVersioning>;

  /** The object under a key, or null when there is none; with `version` that version of it. */
  abstract find(key: string, version?: string | null): Promise<StoredObject | null>;

  /**
   * Opens an object, a version or a range of it; null when there is none.
   * @throws UnsatisfiableRange
   */
  abstract read(key: string, reading?: Reading): Promise<ReadObject | null>;

  /**
   * Writes a file under a key, over what is there. It is there as a whole or not at all, and nothing half done stays in the storage, except
   * when the storage goes away meanwhile.
   */
  abstract write(key: string, object: NewObject): Promise<StoredObject>;

  /** A URL that reads the object without asking the service. Whether there is one is not asked; it ends with the credentials of the service. */
  abstract signedUrl(options: ObjectUrlOptions): Promise<string>;

  /** All objects whose key begins with `prefix`, in the order of their keys. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** All versions of the objects whose key begins with `prefix`; nothing where the bucket has none or the service may not ask. */
  abstract listVersions(prefix: string): AsyncIterable<ObjectVersion>;

  /** Deletes versions for good; those that are not there are no error. */
  abstract deleteVersions(versions: readonly ObjectVersion[]): Promise<void>;

  /** Deletes an object with all of its versions; one that is not there is no error. */
  abstract delete(key: string): Promise<void>;

  /** Deletes many objects with all of their versions; those that are not there are no error. */
  abstract deleteMany(keys: readonly string[]): Promise<void>;

  abstract listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload>;

  /** Ends a multipart upload and frees its parts; one that is not there is no error. */
  abstract abortMultipartUpload(upload: OpenMultipartUpload): Promise<void>;
}
