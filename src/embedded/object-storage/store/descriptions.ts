import type { Checksum } from '../body/payload.js';

/** A checksum of an object: of all its bytes, or of the checksums of its parts. */
export interface ObjectChecksum extends Checksum {
  readonly type: 'FULL_OBJECT' | 'COMPOSITE';
}

/** What a client gave with an object. */
export interface ObjectDetails {
  /** Content-Type and the like, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** By the name after x-amz-meta-. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What is kept about an object, at the end of its file. */
export interface ObjectDescription extends ObjectDetails {
  readonly key: string;
  readonly size: number;
  /** Without the quotes. */
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly checksum?: ObjectChecksum;
  /** Absent: the version `null`, of a bucket that kept no versions when it was written. */
  readonly versionId?: string;
  /** A version that has no data and says that the object was deleted. */
  readonly deleteMarker?: true;
  /** Of a multipart upload, whose data stays in the files of its parts. */
  readonly parts?: { readonly uploadId: string; readonly list: readonly { readonly number: number; readonly size: number }[] };
}

/** A multipart upload that is neither completed nor aborted. */
export interface UploadDescription extends ObjectDetails {
  readonly uploadId: string;
  readonly key: string;
  readonly startedAt: number;
  readonly checksum?: Pick<ObjectChecksum, 'algorithm' | 'type'>;
}

/** A part of a multipart upload, at the end of its file. */
export interface PartDescription {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: number;
  readonly checksum?: Checksum;
}
