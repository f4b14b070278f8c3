import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { CastInteger } from '../../shared/http/index.js';
import { IsId, Limited } from '../../shared/validation/index.js';
import type { MediaType, TrackRole } from '../media/index.js';
import { ITEM_LIMITS } from './preparation/check-item.js';

/** The response repeats every item, and would take megabytes with more of them. Larger uploads use several batches. */
export const MAX_ITEMS = 1_000;

const MAX_KEY_CHARACTERS = 1_024; // the limit of S3

/** Descriptive text about a file, stored with the media container. */
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
  /** Ignored for a track. @example "video" */
  type: MediaType;
  /** With or without its extension. @example "interview.mp4" */
  fileName: string;
  /** With or without a leading dot; if absent, the extension of `fileName` is used. @example "mp4" */
  originalFileExtension?: string | null;
  /** Bytes, as far as known. It determines the lifetime of the credentials; the actual size is read from the storage. @example 10485760 */
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
  /** A track is added to this media container, together with `role`. @example 7 */
  mediaContainerId?: number | null;
  /** What a track adds to the container: subtitles, captions, descriptions or chapters (files vtt or srt, at most 10 MB), or poster (a picture, at most 50 MB). @example "subtitles" */
  role?: TrackRole | null;
  /** BCP 47; required for a text track. @example "de" */
  language?: string | null;
  /** Name of a text track for viewers; default: the language's own name. @example "Deutsch" */
  label?: string | null;
  /** Whether players choose this text track before others. @example true */
  default?: boolean | null;
}

/** A batch to be prepared. */
export class CreateUploadDto {
  /** Id of the batch, chosen by the client; repeating the request with it renews the credentials. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsOptional()
  @IsUUID('4')
  uploadId?: string;

  /** The files, at most 1,000. Problems of an item are reported in `error`; the other items are prepared. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  @Limited({ items: ITEM_LIMITS })
  payload: UploadItemDto[];

  /** False: answer with the jobId at once; `GET /v5/activity/jobResult/{jobId}` returns the document later. @example true */
  @IsOptional()
  @IsBoolean()
  waitForCompletion?: boolean;
}

/** The item that was uploaded. */
export class ItemSuccessDto {
  /** @example "media" */
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  bucket: string;

  /** @example "uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4" */
  @ValidateIf(({ key, s3Key }: ItemSuccessDto) => key !== undefined || s3Key === undefined)
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_KEY_CHARACTERS)
  key?: string;

  /** The same as key. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_KEY_CHARACTERS)
  s3Key?: string;
}

export class ItemSuccessResponse {
  /** @example 7 */
  mediaContainerId: number;
  /** @example 12 */
  mediaId: number;
  /** @example "successful" */
  status: 'successful';
}

/** A batch. */
export class UploadIdDto {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsUUID()
  uploadId: string;
}

export class CompletedItemResponse {
  /** @example 7 */
  mediaContainerId: number;
  /** @example "successful" */
  status: 'successful' | 'unsuccessful';
}

export class UploadCompleteResponse {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  uploadId: string;
  /** @example "completed" */
  status: 'completed';
  items: CompletedItemResponse[];
}

export class AbandonedUploadResponse {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  uploadId: string;
  /** The number of media containers that were removed because their files had not arrived; 0 when the call is repeated. @example 1 */
  removed: number;
}

/** A media item. */
export class MediaIdDto {
  /** @example 1 */
  @CastInteger()
  @IsId()
  mediaId: number;
}
