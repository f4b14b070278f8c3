import { IsInt, IsNumber, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';

const MAX_SECONDS = 31_536_000; // a year

/** An upload to a dropsite that begins. */
export class UploadStartedDto {
  /** @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsString()
  @MaxLength(255)
  link: string;

  /** As createUpload answered it. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsUUID()
  uploadId: string;

  /** Seconds that it will take, about. @example 90 */
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
