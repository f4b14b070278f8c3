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

/** The bucket of the service. Every method throws DomainError `storage_unavailable` when the storage does not answer. */
export abstract class ObjectStorage {
  abstract readonly location: StorageLocation;

  /** The object under a key, or null when there is none. */
  abstract find(key: string): Promise<StoredObject | null>;

  /** All objects whose key begins with `prefix`, in the order of their keys. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** Deletes an object; one that is not there is no error. */
  abstract delete(key: string): Promise<void>;

  abstract listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload>;

  /** Ends a multipart upload and frees its parts; one that is not there is no error. */
  abstract abortMultipartUpload(upload: OpenMultipartUpload): Promise<void>;
}
