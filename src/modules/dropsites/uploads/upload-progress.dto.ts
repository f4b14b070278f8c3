import { IsString, IsUUID, MaxLength } from 'class-validator';

/** Whose progress is asked for. */
export class UploadProgressDto {
  @IsString()
  @MaxLength(255)
  link: string;

  /** As createUpload answered it. @example "7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52" */
  @IsUUID()
  uploadId: string;
}

/** How far what is made of an uploaded file is. */
export class UploadProgressResponse {
  /** As createUpload answered it. @example 12 */
  mediaContainerId: number;
  /** Per cent of its previews, or where none are made, of everything. @example 42 */
  progress: number;
  /** failed: nothing could be made of it; the file itself has arrived. @example "running" */
  status: 'running' | 'successful' | 'failed';
}
