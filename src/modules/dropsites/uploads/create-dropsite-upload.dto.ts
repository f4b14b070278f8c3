import { OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { CreateUploadDto, MAX_ITEMS, UploadItemDto } from '../../uploads/index.js';

/** A file to be uploaded to a dropsite. */
export class DropsiteItemDto extends UploadItemDto {
  /** Comes back as it was sent, to tell the items apart. @example "0c1d2e3f-8a4b-4c5d-9e6f-7a8b9c0d1e2f" */
  uuid?: string;
}

/** A batch to be prepared for a dropsite. */
export class CreateDropsiteUploadDto extends OmitType(CreateUploadDto, ['payload']) {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(255)
  link: string;

  /** The files, at most 1,000. What is wrong with one stands in `error`, and the others go on. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  payload: DropsiteItemDto[];

  /** With `email`: whose the media containers become, instead of the owner of the dropsite. @example 31 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(0)
  @Max(MAX_ID)
  creatorId?: number;

  /** The address of the creator. @example "grace@example.org" */
  @IsOptional()
  @IsString()
  @MaxLength(255)
  email?: string;

  /** Of the dropsite, if it has one; a session has proven it. @example "open sesame" */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  password?: string;
}
