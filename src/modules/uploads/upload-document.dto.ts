import { OmitType } from '@nestjs/swagger';
import { UploadItemDto } from './create-upload.dto.js';

/** Temporary credentials, valid for the keys that they came with only. */
export class CredentialsResponse {
  /** @example "ASIAIOSFODNN7EXAMPLE" */
  AccessKeyId: string;
  /** @example "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" */
  SecretAccessKey: string;
  /** @example "AQoDYXdzEJr…" */
  SessionToken: string;
  /** ISO 8601. @example "2026-01-01T12:15:00.000Z" */
  Expiration: string;
}

/** Where an item is uploaded to; what was sent of it is repeated. */
class UploadTargetResponse extends UploadItemDto {
  /** Position in the request. @example 0 */
  index: number;
  /** Media container. @example 7 */
  id: number;
  /** Media item. @example 12 */
  mediaId: number;
  /** @example "media" */
  bucket: string;
  /** @example "us-east-1" */
  region: string;
  /** Where the storage is not AWS. @example "http://127.0.0.1:3001" */
  endpoint?: string;
  /** Where the storage is not AWS: the bucket stands in the path. @example true */
  forcePathStyle?: boolean;
  /** @example "uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4" */
  s3Key: string;
}

/** An item that can be uploaded; what was sent of it is repeated. */
export class ProcessedItemResponse extends UploadTargetResponse {
  /** Absent when the request is repeated after the success of the item: what was accepted is not written again. */
  credentials?: CredentialsResponse;
}

/** An item of a batch that was prepared before. */
export class PreparedItemResponse extends UploadTargetResponse {
  /** Absent when they have expired, and for a token that may only read. */
  credentials?: CredentialsResponse;
}

/** An item that was refused, or a duplicate; what was sent of it is repeated. */
export class UploadProblemResponse {
  /** Position in the request. @example 1 */
  index: number;
  /** duplicate, required, type, invalid_type, missing_file_name, invalid_file_name, invalid_file_extension, invalid_file_size, file_too_large, invalid_checksum, invalid_metadata or (at a dropsite) type_not_allowed. @example "duplicate" */
  code: string;
  /** @example "The same file is there already: media container 7. Upload it anyway, or leave it out." */
  message: string;
  /** Of a duplicate: the media container that is there already. @example 7 */
  mediaContainerId?: number;
  /** Of a duplicate: the earlier item of the same request. @example 0 */
  duplicateOfIndex?: number;
}

/** What was prepared: where to upload each item, and with which credentials. */
export class UploadDocumentResponse {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  uploadId: string;
  /** Its jobResult is this document. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** In the order of the request; empty while a job prepares it. */
  processed: ProcessedItemResponse[];
  error: UploadProblemResponse[];
  /** Whether the accelerate endpoint of the bucket is to be used. @example false */
  transferAcceleration: boolean;
}

/** The result of the job of an upload. */
export class PreparedUploadResponse extends OmitType(UploadDocumentResponse, ['processed']) {
  /** In the order of the request. */
  processed: PreparedItemResponse[];
}
