import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { StreamingIndex } from './media-item.entity.js';
import type { MediaOwner, NewItem, NewRendition, PlannedItem, RenditionSource } from './new-media-item.js';

/** Inserts media items, and the containers of originals. */
@Injectable()
export class NewMediaItemsRepository {
  constructor(private readonly database: Database) {}

  /** Reserves an id of a media item for each file, and one of a media container for each original; `insert` inserts them. */
  async plan(files: readonly NewItem[], owner: MediaOwner): Promise<PlannedItem[]> {
    const originals = files.filter(({ track }) => track === null);
    const [containers, items] = await Promise.all([
      this.reserveIds('media_containers', originals.length),
      this.reserveIds('media_items', files.length),
    ]);
    const containerOf = new Map(originals.map((original, n) => [original, Number(containers[n])]));
    return files.map((file, n) => ({
      ...file,
      ...owner,
      mediaContainerId: file.track?.mediaContainerId ?? Number(containerOf.get(file)),
      mediaId: Number(items[n]),
    }));
  }

  /** Inserts planned items, with the status `prepared`, and the containers of originals. */
  async insert(planned: readonly PlannedItem[]): Promise<void> {
    await this.insertContainers(planned.filter(({ track }) => track === null));
    const of = <Value>(read: (item: PlannedItem) => Value): Value[] => planned.map(read);
    // Raw SQL: a request may have a thousand items, which are columns here instead of a parameter for each value.
    await this.database.query(
      `INSERT INTO media_items (id, media_container_id, customer_id, bucket, format_id, type, file_name, file_extension, file_size, s3_key,
          role, language, label, is_default)
        SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[],
          $11::text[], $12::text[], $13::text[], $14::boolean[])`,
      [
        ...[of((i) => i.mediaId), of((i) => i.mediaContainerId), of((i) => i.customerId)],
        ...[of((i) => i.bucket), of((i) => i.formatId), of((i) => i.type)],
        ...[of((i) => i.fileName), of((i) => i.fileExtension), of((i) => i.fileSize), of((i) => i.s3Key)],
        ...[of((i) => i.track?.role ?? null), of((i) => i.track?.language ?? null), of((i) => i.track?.label ?? null)],
        of((i) => i.track?.isDefault ?? false),
      ],
    );
  }

  private async insertContainers(originals: readonly PlannedItem[]): Promise<void> {
    if (originals.length === 0) return;
    const of = <Value>(read: (original: PlannedItem) => Value): Value[] => originals.map(read);
    // Raw SQL, as for the items. The metadata is one JSON text, because the driver escapes a list of texts character by character.
    await this.database.query(
      `INSERT INTO media_containers (id, customer_id, creator_id, origin, sender_id, type, name, checksum, metadata)
        SELECT * FROM ROWS FROM (unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[]),
          jsonb_array_elements($9::jsonb))`,
      [
        ...[of((o) => o.mediaContainerId), of((o) => o.customerId), of((o) => o.creatorId), of((o) => o.origin), of((o) => o.senderId)],
        ...[of((o) => o.type), of((o) => o.fileName), of((o) => o.checksum), JSON.stringify(of((o) => o.metadata))],
      ],
    );
  }

  /** Draws ids from the sequence of a table before its rows are inserted, because items, containers and the batch refer to each other. */
  private async reserveIds(table: 'media_containers' | 'media_items', count: number): Promise<number[]> {
    if (count === 0) return [];
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT nextval(pg_get_serial_sequence('${table}', 'id'))::int AS id FROM generate_series(1, $1)`,
      [count],
    );
    return rows.map(({ id }) => id);
  }

  /** Inserts a rendition as a successful item, with the index of its segments if it has any. Returns its id; null if the original is gone. */
  async insertRendition(source: RenditionSource, rendition: NewRendition, bucket: string): Promise<number | null> {
    const { type, fileExtension, fileSize, facts, s3Key, etag, version, crc32, test, streaming, storyboard, track } = rendition;
    const values = [
      source.sourceMediaId,
      source.formatId,
      type,
      fileExtension,
      fileSize,
      facts.width,
      facts.height,
      facts.duration,
      facts.codec,
    ];
    const places = [
      bucket,
      s3Key,
      etag,
      version,
      test,
      streaming && JSON.stringify(streaming.facts),
      storyboard && JSON.stringify(storyboard),
      ...[track?.language ?? null, track?.label ?? null, track?.isDefault ?? false],
      crc32,
    ];
    // Raw SQL: copies the name and customer of the original in the same statement, which inserts nothing if the original is gone.
    const item = await this.database.queryOne<{ id: number }>(
      `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status,
          width, height, duration, codec, bucket, s3_key, etag, version, test, streaming, storyboard, language, label, is_default, crc32)
        SELECT media_container_id, customer_id, $2, $3, file_name, $4, $5, 'successful', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::jsonb,
          $17, $18, $19, $20
        FROM media_items WHERE id = $1 RETURNING id`,
      [...values, ...places],
    );
    if (item && streaming) await this.database.repository(StreamingIndex).insert({ mediaItemId: item.id, ...streaming.index });
    return item?.id ?? null;
  }
}
