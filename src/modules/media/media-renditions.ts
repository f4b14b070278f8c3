import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { ObjectStorage } from '../../shared/storage/index.js';
import type { MediaFacts, NewRendition } from './new-rendition.js';
import { SupersededMedia } from './removal/superseded-media.js';

/** What a rendition is made of, and by which format. */
export interface RenditionSource {
  readonly mediaContainerId: number;
  /** The original. */
  readonly sourceMediaId: number;
  readonly formatId: number;
}

/** What was read of an original; technicalMetadata null: nobody asked for that. */
export interface OriginalReport {
  readonly facts: MediaFacts;
  readonly technicalMetadata: object | null;
}

/** Whoever adds a file to it, dooms it or removes it is waited for; readers and events are not. */
const HOLD = `SELECT FROM media_containers WHERE id = $1 AND NOT doomed
  AND EXISTS (SELECT FROM media_items WHERE id = $2 AND media_container_id = $1 AND status = 'successful') FOR NO KEY UPDATE OF media_containers`;

const INSERT = `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status,
    width, height, duration, codec, bucket, s3_key, etag, version, test)
  SELECT media_container_id, customer_id, $2, $3, file_name, $4, $5, 'successful', $6, $7, $8, $9, $10, $11, $12, $13, $14
  FROM media_items WHERE id = $1 RETURNING id`;

/** What is known already stays: it may have been read of the same file more carefully. */
const DESCRIBE_ORIGINAL = `UPDATE media_items SET width = coalesce(width, $2), height = coalesce(height, $3), duration = coalesce(duration, $4),
    codec = coalesce(codec, $5)
  WHERE id = $1 AND (width IS NULL OR height IS NULL OR duration IS NULL OR codec IS NULL)`;

const DESCRIBE_CONTAINER = `UPDATE media_containers SET technical_metadata = $2 WHERE id = $1`;

/** Files that are made of originals, for those who make them. All in the ambient transaction. */
@Injectable()
export class MediaRenditions {
  constructor(
    private readonly database: Database,
    private readonly storage: ObjectStorage,
    private readonly superseded: SupersededMedia,
  ) {}

  /** Keeps container and original from being removed until the transaction ends; false: they are, or are about to be. */
  async hold({ mediaContainerId, sourceMediaId }: RenditionSource): Promise<boolean> {
    return (await this.database.query(HOLD, [mediaContainerId, sourceMediaId])).rowCount === 1;
  }

  /** A rendition that is in the storage becomes a media item, in place of an older one of its format; answers its id. Hold the source before. */
  async add(source: RenditionSource, rendition: NewRendition): Promise<number> {
    const { type, fileExtension, fileSize, facts, s3Key, etag, version, test } = rendition;
    const place = [this.storage.location.bucket, s3Key, etag, version, test];
    const values = [source.sourceMediaId, source.formatId, type, fileExtension, fileSize, ...columnsOf(facts), ...place];
    const item = await this.database.queryOne<{ id: number }>(INSERT, values);
    if (!item) throw new Error(`The original ${source.sourceMediaId} is gone, although it was held.`);
    await this.superseded.replaceBy({ ...source, id: item.id });
    return item.id;
  }

  /** Notes what was read of the original. */
  async describe({ mediaContainerId, sourceMediaId }: RenditionSource, { facts, technicalMetadata }: OriginalReport): Promise<void> {
    await this.database.query(DESCRIBE_ORIGINAL, [sourceMediaId, ...columnsOf(facts)]);
    if (technicalMetadata) await this.database.query(DESCRIBE_CONTAINER, [mediaContainerId, JSON.stringify(technicalMetadata)]);
  }
}

const columnsOf = ({ width, height, duration, codec }: MediaFacts): unknown[] => [width, height, duration, codec];
