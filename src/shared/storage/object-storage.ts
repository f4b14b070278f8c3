import type { Readable } from 'node:stream';

/** An object as the storage knows it now. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag without quotes; changes with the content. */
  readonly etag: string;
  /** Of a bucket that keeps versions; else null. */
  readonly version: string | null;
  readonly modifiedAt: Date;
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

  /** The object under a key, or null when there is none. */
  abstract find(key: string): Promise<StoredObject | null>;

  /**
   * Opens an object, or a range of it; null when there is none.
   * @throws UnsatisfiableRange
   */
  abstract read(key: string, range?: ByteRange): Promise<ReadObject | null>;

  /**
   * Writes a file under a key, over what is there. It is there as a whole or not at all, and nothing half done stays in the storage, except
   * when the storage goes away meanwhile.
   */
  abstract write(key: string, object: NewObject): Promise<StoredObject>;

  /** A URL that reads the object without asking the service. Whether there is one is not asked; it ends with the credentials of the service. */
  abstract signedUrl(options: ObjectUrlOptions): Promise<string>;

  /** All objects whose key begins with `prefix`, in the order of their keys. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** Deletes an object; one that is not there is no error. */
  abstract delete(key: string): Promise<void>;

  /** Deletes many objects; those that are not there are no error. */
  abstract deleteMany(keys: readonly string[]): Promise<void>;

  abstract listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload>;

  /** Ends a multipart upload and frees its parts; one that is not there is no error. */
  abstract abortMultipartUpload(upload: OpenMultipartUpload): Promise<void>;
}
