import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsNumber, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import { Limited, MAX_ID } from '../../../shared/validation/index.js';
import { CreateUploadDto, ITEM_LIMITS, MAX_ITEMS, UploadItemDto } from '../../uploads/index.js';

const MAX_SECONDS = 31_536_000; // a year

/** A file to be uploaded to a dropsite. */
export class DropsiteItemDto extends OmitType(UploadItemDto, ['mediaContainerId', 'role', 'language', 'label', 'default']) {
  /** Returned as it was sent, to distinguish the items. @example "0c1d2e3f-8a4b-4c5d-9e6f-7a8b9c0d1e2f" */
  uuid?: string;
}

/** A batch to be prepared for a dropsite. */
export class CreateDropsiteUploadDto extends OmitType(CreateUploadDto, ['payload']) {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(255)
  link: string;

  /** The files, at most 1,000. Problems of an item are reported in `error`; the other items are prepared. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  @Limited({ items: ITEM_LIMITS })
  payload: DropsiteItemDto[];

  /** With `email`: the creator of the media containers, instead of the owner of the dropsite. @example 31 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(0)
  @Max(MAX_ID)
  creatorId?: number;

  /** The e-mail address of the creator. @example "grace@example.org" */
  @IsOptional()
  @IsString()
  @MaxLength(255)
  email?: string;

  /** The password of the dropsite, if it has one; not needed with a session. @example "open sesame" */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  password?: string;
}

/** An upload to a dropsite that starts. */
export class UploadStartedDto {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(255)
  link: string;

  /** As createUpload returned it. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsUUID()
  uploadId: string;

  /** Expected duration in seconds. @example 90 */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MAX_SECONDS)
  duration?: number;

  /** Bytes. @example 10485760 */
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  totalSize: number;

  /** Number of files. @example 3 */
  @IsInt()
  @Min(0)
  @Max(1_000)
  items: number;
}

/** The upload that was announced. */
export class UploadStartedResponse {
  /** @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  uploadId: string;
}

/** An upload, to read its progress. */
export class UploadProgressDto {
  @IsString()
  @MaxLength(255)
  link: string;

  /** As createUpload returned it. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsUUID()
  uploadId: string;
}

/** The progress of the previews of an uploaded file. */
export class UploadProgressResponse {
  /** As createUpload returned it. @example 12 */
  mediaContainerId: number;
  /** Progress of its previews in percent; if it has none, of all its renditions. @example 42 */
  progress: number;
  /** failed: no preview could be made; the file itself has arrived. @example "running" */
  @ApiProperty({ enum: ['running', 'successful', 'failed'] })
  status: 'running' | 'successful' | 'failed';
}
