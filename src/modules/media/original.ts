import type { ContainerType } from './media-container.entity.js';
import type { ItemStatus } from './media-item.entity.js';

/** An original as uploads know it. */
export interface Original {
  readonly id: number;
  readonly mediaContainerId: number;
  readonly customerId: number;
  readonly status: ItemStatus;
  readonly bucket: string;
  readonly s3Key: string;
  readonly type: ContainerType;
  readonly fileSize: number;
  readonly etag: string | null;
  readonly version: string | null;
}

/** Its columns, for SELECT. */
export const ORIGINAL_COLUMNS = `id, media_container_id AS "mediaContainerId", customer_id AS "customerId", status, bucket, s3_key AS "s3Key", type,
  file_size::float8 AS "fileSize", etag, version`;
