import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { FileDescription, MediaFacts } from './file-description.js';
import { MediaItem } from './media-item.entity.js';

/** What an inspection found out about a file. */
export interface InspectedFile extends Pick<MediaItem, 'scripted' | 'webVttKey'> {
  readonly description: FileDescription;
}

/** Uploads, and PDFs that a format copied. */
const IS_UNDESCRIBED = `file_description IS NULL AND status = 'successful' AND (s3_key NOT LIKE 'renditions/%' OR file_extension = 'pdf')`;

/** What is known of the content of media items: their descriptions, text tracks as WebVTT, and facts. */
@Injectable()
export class FileDescriptionsRepository {
  constructor(private readonly database: Database) {}

  /** Records what an inspection found out. False if the item is no longer successful, or has another object than the one that was read. */
  async record({ id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>, found: InspectedFile): Promise<boolean> {
    const { description, scripted, webVttKey } = found;
    const values = [id, etag, version, JSON.stringify(description), scripted, webVttKey, ...valuesOf(description)];
    // Raw SQL: compares NULL as equal, so that the result is recorded only for the object that was read. Replaces known
    // facts except the codec: the first bytes of a picture, which were read at its success, do not always say that it is turned, and the header
    // of a film may state any length.
    const { rowCount } = await this.database.query(
      `UPDATE media_items SET file_description = $4::jsonb, scripted = $5, web_vtt_key = $6,
          width = coalesce($7, width), height = coalesce($8, height), duration = coalesce($9, duration), codec = coalesce(codec, $10)
        WHERE id = $1 AND status = 'successful' AND etag IS NOT DISTINCT FROM $2 AND version IS NOT DISTINCT FROM $3`,
      values,
    );
    return rowCount === 1;
  }

  /**
   * Adds to the description of an item what its first transcoding found out, and replaces its length in seconds unless that is null. Changes nothing if
   * the item was not inspected, or has another object by now than the one that was read.
   */
  async complete(
    { id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>,
    found: Pick<FileDescription, 'times' | 'pages' | 'exceeded'>,
    duration: number | null,
  ): Promise<void> {
    // Raw SQL: adds members to the description of the object that was read, comparing NULL as equal. The length was that of the header.
    await this.database.query(
      `UPDATE media_items SET file_description = file_description || $4::jsonb, duration = coalesce($5, duration)
        WHERE id = $1 AND etag IS NOT DISTINCT FROM $2 AND version IS NOT DISTINCT FROM $3 AND file_description IS NOT NULL`,
      [id, etag, version, JSON.stringify(found), duration],
    );
  }

  /** Requests another inspection of a text track whose WebVTT is gone: the storage may have been restored without it. */
  async requestWebVtt(id: number, webVttKey: string): Promise<void> {
    await this.database.repository(MediaItem).update({ id, webVttKey }, { webVttKey: null, fileDescription: null });
  }

  /** Lists the ids of up to `limit` items that were not inspected, because an earlier version of the service stored them; text tracks first. */
  async listMissing(limit: number): Promise<number[]> {
    // Raw SQL: its condition is that of the partial index, in whose order each part reads. Text tracks come first, because they cannot be
    // delivered before; an id may occur twice.
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT id FROM (
          (SELECT id, 1 AS turn FROM media_items WHERE ${IS_UNDESCRIBED} AND file_extension = 'vtt' ORDER BY id LIMIT $1)
          UNION ALL (SELECT id, 1 FROM media_items WHERE ${IS_UNDESCRIBED} AND file_extension = 'srt' ORDER BY id LIMIT $1)
          UNION ALL (SELECT id, 2 FROM media_items WHERE ${IS_UNDESCRIBED} ORDER BY file_extension, id LIMIT $1)
        ) AS found ORDER BY turn, id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Adds the facts of an item that are not known yet. */
  async fillInFacts(id: number, facts: MediaFacts): Promise<void> {
    // Raw SQL: keeps known facts, which another format may have read more exactly; TypeORM's update takes no expressions with parameters.
    await this.database.query(
      `UPDATE media_items SET width = coalesce(width, $2), height = coalesce(height, $3), duration = coalesce(duration, $4),
          codec = coalesce(codec, $5)
        WHERE id = $1 AND (width IS NULL OR height IS NULL OR duration IS NULL OR codec IS NULL)`,
      [id, ...valuesOf(facts)],
    );
  }
}

const valuesOf = ({ width, height, duration, codec }: MediaFacts): unknown[] => [width, height, duration, codec];
