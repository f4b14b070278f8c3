import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, IsUUID } from 'class-validator';

/** More would make one answer of megabytes; several batches do as well. */
export const MAX_ITEMS = 1_000;

/** A text about a file, kept with the media container. */
export class UploadMetadataDto {
  /** Not empty. @example "description" */
  title: string;
  /** @example "The moment when the cake arrives" */
  content: string;
  /** Language tag. @example "en" */
  language?: string | null;
}

/** A file to be uploaded. */
export class UploadItemDto {
  /** @example "video" */
  type: 'video' | 'audio' | 'image' | 'document';
  /** With or without its extension. @example "interview.mp4" */
  fileName: string;
  /** With or without a leading dot; without it the extension of `fileName` counts. @example "mp4" */
  originalFileExtension?: string | null;
  /** Bytes, as far as known: credentials live long enough for it, the real size is read from the storage. @example 10485760 */
  @ApiProperty({
    oneOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\d{1,16}$' },
    ],
  })
  fileSize: number | string;
  /** Any text that is the same for the same content, to find duplicates. @example "sha256:9f86d081884c7d659a2feaa0c55ad015" */
  checksum?: string | null;
  /** At most 100. */
  metadata?: UploadMetadataDto[] | null;
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
