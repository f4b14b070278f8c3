import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { MediaItem } from '../media-item.entity.js';

/** An item as an archive lists it. */
export type ListedItem = Pick<MediaItem, 'id' | 'crc32' | 'createdAt'>;

/** An item whose checksum is to be computed. */
export type UnreadItem = Pick<MediaItem, 'id' | 's3Key' | 'version' | 'etag' | 'fileSize'>;

const UNREAD = { id: true, s3Key: true, version: true, etag: true, fileSize: true } as const;

/** Reads and records the CRC-32 of media items. */
@Injectable()
export class ChecksumsRepository {
  constructor(private readonly database: Database) {}

  /** Finds the checksums of items, in no particular order. */
  async findMany(ids: readonly number[]): Promise<ListedItem[]> {
    if (ids.length === 0) return [];
    return await this.repository.find({ select: { id: true, crc32: true, createdAt: true }, where: { id: In([...ids]) } });
  }

  /** Finds a successful item without a checksum; null: it has one, or is not successful. */
  async findUnread(id: number): Promise<UnreadItem | null> {
    return await this.repository.findOne({ select: UNREAD, where: { id, status: 'successful', crc32: IsNull() } });
  }

  /** Records the checksum of an item, unless its object is no longer the one that was read. */
  async record({ id, version, etag }: UnreadItem, crc32: number): Promise<void> {
    // Raw SQL: compares NULL as equal, and leaves the revision of the row, because clients see nothing of the change.
    await this.database.query(
      `UPDATE media_items SET crc32 = $4 WHERE id = $1 AND version IS NOT DISTINCT FROM $2 AND etag IS NOT DISTINCT FROM $3`,
      [id, version, etag, crc32],
    );
  }

  private get repository() {
    return this.database.repository(MediaItem);
  }
}
