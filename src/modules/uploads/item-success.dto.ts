import { IsOptional, IsString, MaxLength, MinLength, ValidateIf } from 'class-validator';

const MAX_KEY_CHARACTERS = 1_024; // what S3 allows

/** Which item was uploaded. */
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
