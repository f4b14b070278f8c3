import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, IsUUID } from 'class-validator';

/** More would make one answer of megabytes; several batches do as well. */
export const MAX_ITEMS = 1_000;

/** A file to be uploaded. */
export class UploadItemDto {
  /** video, audio, image or document. @example "video" */
  type: string;
  /** With or without its extension. @example "interview.mp4" */
  fileName: string;
  /** With or without a leading dot. @example "mp4" */
  originalFileExtension: string;
  /** Bytes, as far as known: credentials live long enough for it, the real size is read from the storage. @example 10485760 */
  fileSize: number;
  /** Anything that tells equal content, to find duplicates. @example "sha256:9f86d081884c7d659a2feaa0c55ad015" */
  checksum?: string;
}

/** A batch to be prepared. */
export class CreateUploadDto {
  /** Name of the batch, chosen by the client; the same again refreshes its credentials. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsOptional()
  @IsUUID('4')
  uploadId?: string;

  /** The files, at most 1,000. What is wrong with one stands in `error`, and the others go on. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  payload: UploadItemDto[];

  /** False: answer with the jobId at once; `GET /v5/activity/jobResult/{jobId}` then has the document. @example true */
  @IsOptional()
  @IsBoolean()
  waitForCompletion?: boolean;
}
