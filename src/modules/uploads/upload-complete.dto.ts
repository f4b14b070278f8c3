import { IsUUID } from 'class-validator';

/** Which batch is complete. */
export class UploadCompleteDto {
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
