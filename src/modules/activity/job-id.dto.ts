import { IsString, MaxLength } from 'class-validator';

/** Which job. */
export class JobIdDto {
  /** As answered by the operation that began it. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  @IsString()
  @MaxLength(64)
  jobId: string;
}
