import { OmitType } from '@nestjs/swagger';
import { HasFurtherMembers } from '../../shared/http/index.js';
import type { StorageLocation } from '../../shared/storage/index.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';
import type { Credentials } from './credentials/credential-issuer.port.js';
import { UploadItemDto } from './upload.dto.js';

/** Temporary credentials, valid only for the keys of the same response that contain them. */
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

/** Where to upload an item; the fields that were sent are repeated. */
class UploadTargetResponse extends OmitType(UploadItemDto, ['type']) {
  /** As it was sent; for a track it may be absent or any text. @example "video" */
  type?: string;
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
  /** Set if the storage is not AWS. @example "http://127.0.0.1:3001" */
  endpoint?: string;
  /** Set if the storage is not AWS: the bucket is part of the path. @example true */
  forcePathStyle?: boolean;
  /** @example "uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4" */
  s3Key: string;
}

/** An item that can be uploaded; the fields that were sent are repeated. */
@HasFurtherMembers()
export class ProcessedItemResponse extends UploadTargetResponse {
  /** Absent if the request is repeated after the success of the item: an accepted file cannot be replaced. */
  credentials?: CredentialsResponse;
}

/** An item of a batch that was prepared before. */
@HasFurtherMembers()
export class PreparedItemResponse extends UploadTargetResponse {
  /** Absent if they have expired, and for a read-only token. */
  credentials?: CredentialsResponse;
}

/** An item that was refused, or a duplicate; the fields that were sent are repeated. */
@HasFurtherMembers()
export class UploadProblemResponse {
  /** Position in the request. @example 1 */
  index: number;
  /** duplicate, required, type, invalid_type, missing_file_name, invalid_file_name, invalid_file_extension, invalid_file_size, file_too_large, invalid_checksum, invalid_metadata; of a track also invalid_role, invalid_language, invalid_label, not_found, media_container_in_trash or too_many_tracks; at a dropsite also type_not_allowed or not_allowed. @example "duplicate" */
  code: string;
  /** @example "The same file already exists: media container 7. Upload it anyway, or omit it." */
  message: string;
  /** For a duplicate: the media container that has the same file. @example 7 */
  mediaContainerId?: number;
  /** For a duplicate: the position of the earlier item of the same request. @example 0 */
  duplicateOfIndex?: number;
}

/** A prepared batch: where to upload each item, and with which credentials. */
export class UploadDocumentResponse {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  uploadId: string;
  /** Its jobResult is this document. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** In the order of the request; empty while a job prepares it. */
  processed: ProcessedItemResponse[];
  error: UploadProblemResponse[];
  /** Whether to use the accelerate endpoint of the bucket. @example false */
  transferAcceleration: boolean;
}

/** The result of the job of an upload. */
export class PreparedUploadResponse extends OmitType(UploadDocumentResponse, ['processed']) {
  /** In the order of the request. */
  processed: PreparedItemResponse[];
  /** True if the credentials are missing because they cannot be decrypted with APP_SECRET. */
  secretsUnreadable?: boolean;
}

/** The content of a batch, with the payload as it was sent. */
export type BatchContent = Pick<UploadBatch, 'uploadId' | 'jobId' | 'items' | 'problems'> & { readonly payload: readonly unknown[] };

/** `credentials` by key; a stored result has none. Every item repeats the fields that were sent. */
export function toUploadDocumentResponse(
  { uploadId, jobId, payload, items, problems }: BatchContent,
  { bucket, region, endpoint }: StorageLocation,
  options: { credentials?: ReadonlyMap<string, Credentials>; transferAcceleration: boolean },
): UploadDocumentResponse {
  const location = { bucket, region, ...(endpoint !== null && { endpoint, forcePathStyle: true }) };
  const processed = items.map(({ index, mediaContainerId, mediaId, key }) => {
    const credentials = options.credentials?.get(key);
    const target = { index, id: mediaContainerId, mediaId, ...location, s3Key: key, ...(credentials && { credentials }) };
    return { ...sentFieldsOf(payload[index]), ...target } as ProcessedItemResponse;
  });
  const error = problems.map((problem) => ({ ...sentFieldsOf(payload[problem.index]), ...problem }));
  return { uploadId, jobId, processed, error, transferAcceleration: options.transferAcceleration && endpoint === null };
}

/** Whether a stored job result is an upload document; earlier versions stored other results too. */
export const isUploadDocument = (result: object): result is UploadDocumentResponse =>
  'uploadId' in result && 'processed' in result && 'error' in result;

/** Adds the sent fields to the items of a stored document; those of earlier versions have them already. */
export function withSentFields(document: UploadDocumentResponse, payload: readonly unknown[]): UploadDocumentResponse {
  const complete = <Item extends { index: number }>(item: Item): Item => ({ ...sentFieldsOf(payload[item.index]), ...item });
  return { ...document, processed: document.processed.map(complete), error: document.error.map(complete) };
}

const sentFieldsOf = (item: unknown): object => (typeof item === 'object' && item !== null && !Array.isArray(item) ? item : {});
