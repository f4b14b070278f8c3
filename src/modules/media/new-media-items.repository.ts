import { Injectable } from '@nestjs/common';
import { asJsonBytes, Database, IdPool, type Insertion, insertTogether } from '../../shared/database/index.js';
import { StreamingIndex } from './media-item.entity.js';
import type { MediaOwner, NewItem, NewRendition, PlannedItem, RenditionSource } from './new-media-item.js';

/** Inserts media items, and the containers of originals. */
@Injectable()
export class NewMediaItemsRepository {
  private readonly containerIds: IdPool;
  private readonly itemIds: IdPool;

  constructor(private readonly database: Database) {
    this.containerIds = new IdPool(database, 'media_containers');
    this.itemIds = new IdPool(database, 'media_items');
  }

  /** Reserves an id of a media item for each file, and one of a media container for each original; `insertions` inserts them. */
  async plan(files: readonly NewItem[], owner: MediaOwner): Promise<PlannedItem[]> {
    const originals = files.filter(({ track }) => track === null);
    const [containers, items] = await Promise.all([this.containerIds.take(originals.length), this.itemIds.take(files.length)]);
    const containerOf = new Map(originals.map((original, n) => [original, Number(containers[n])]));
    return files.map((file, n) => ({
      ...file,
      ...owner,
      mediaContainerId: file.track?.mediaContainerId ?? Number(containerOf.get(file)),
      mediaId: Number(items[n]),
    }));
  }

  /** Builds the statements that insert planned items, with the status `prepared`, and the containers of originals. */
  insertions(planned: readonly PlannedItem[]): Insertion[] {
    const originals = planned.filter(({ track }) => track === null);
    const of = <Value>(read: (original: PlannedItem) => Value): Value[] => originals.map(read);
    const owners = [of((o) => o.mediaContainerId), of((o) => o.customerId), of((o) => o.creatorId), of((o) => o.origin)];
    const descriptions = [of((o) => o.type), of((o) => o.fileName), of((o) => o.checksum), asJsonBytes(of((o) => o.metadata))];
    const column = <Value>(read: (item: PlannedItem) => Value): Value[] => planned.map(read);
    const ids = [column((i) => i.mediaId), column((i) => i.mediaContainerId), column((i) => i.customerId)];
    const places = [column((i) => i.bucket), column((i) => i.formatId), column((i) => i.type)];
    const files = [column((i) => i.fileName), column((i) => i.fileExtension), column((i) => i.fileSize), column((i) => i.s3Key)];
    const names = [column((i) => i.track?.role ?? null), column((i) => i.track?.language ?? null), column((i) => i.track?.label ?? null)];
    // Raw SQL: inserts the containers and items of many requests in one statement that also inserts their batches (`insertTogether`).
    return [
      {
        text: `INSERT INTO media_containers (id, customer_id, creator_id, origin, type, name, checksum, metadata)
          SELECT * FROM ROWS FROM (unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[]),
            jsonb_array_elements(convert_from($8::bytea, 'UTF8')::jsonb))`,
        values: [...owners, ...descriptions],
      },
      {
        text: `INSERT INTO media_items (id, media_container_id, customer_id, bucket, format_id, type, file_name, file_extension, file_size, s3_key,
            role, language, label, is_default)
          SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[],
            $11::text[], $12::text[], $13::text[], $14::boolean[])`,
        values: [...ids, ...places, ...files, ...names, column((i) => i.track?.isDefault ?? false)],
      },
    ];
  }

  /** Inserts planned items, with the status `prepared`, and the containers of originals. */
  async insert(planned: readonly PlannedItem[]): Promise<void> {
    await insertTogether(this.database, this.insertions(planned));
  }

  /** Inserts a rendition as a successful item, with the index of its segments if it has any. Returns its id; null if the original is gone. */
  async insertRendition(source: RenditionSource, rendition: NewRendition, bucket: string): Promise<number | null> {
    const { type, fileExtension, fileSize, facts, s3Key, etag, version, test, streaming, storyboard, track } = rendition;
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
    ];
    // Raw SQL: copies the name and customer of the original in the same statement, which inserts nothing if the original is gone.
    const item = await this.database.queryOne<{ id: number }>(
      `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status,
          width, height, duration, codec, bucket, s3_key, etag, version, test, streaming, storyboard, language, label, is_default)
        SELECT media_container_id, customer_id, $2, $3, file_name, $4, $5, 'successful', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::jsonb,
          $17, $18, $19
        FROM media_items WHERE id = $1 RETURNING id`,
      [...values, ...places],
    );
    if (item && streaming) await this.database.repository(StreamingIndex).insert({ mediaItemId: item.id, ...streaming.index });
    return item?.id ?? null;
  }
}
