import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { MediaItem } from './media-item.entity.js';
import { ORIGINAL_COLUMNS, type Original } from './original.js';

const FIND_MANY_BY_KEY = `SELECT ${ORIGINAL_COLUMNS} FROM media_items WHERE s3_key = ANY($1::text[])`;

const LIST_SUCCESSFUL = `SELECT ${ORIGINAL_COLUMNS} FROM media_items
  WHERE status = 'successful' AND starts_with(s3_key, $1) AND id > $2 ORDER BY id LIMIT $3`;

const CORRECT = `UPDATE media_items SET file_size = $2, etag = $3, version = $4, scripted = NULL WHERE id = $1 AND status = 'successful'`;

const LOSE = `UPDATE media_items SET status = 'unsuccessful' WHERE id = $1 AND status = 'successful'`;

/** Raw SQL, because PostgreSQL stops at the first item of each format. */
const FIND_FORMATS_IN_USE = `SELECT id FROM unnest($1::int[]) AS formats (id) WHERE EXISTS (SELECT FROM media_items WHERE media_items.format_id = formats.id)`;

const SUM = `SELECT count(*)::int AS items, coalesce(sum(file_size), 0)::float8 AS bytes FROM media_items WHERE customer_id = $1 AND status = 'successful'`;

/** Of the same object that was looked through. */
const NOTE_SCRIPTS = `UPDATE media_items SET scripted = $2 WHERE id = $1 AND etag IS NOT DISTINCT FROM $3 AND version IS NOT DISTINCT FROM $4`;

/** What the database says of files, for those who compare it with the storage. */
@Injectable()
export class MediaInventory {
  constructor(private readonly database: Database) {}

  /** Those of the keys that media items have, in no order. */
  async findManyByKey(keys: readonly string[]): Promise<Original[]> {
    return (await this.database.query<Original>(FIND_MANY_BY_KEY, [keys])).rows;
  }

  /** Successful items whose key begins with `prefix`, a page in the order of their ids. */
  async listSuccessful(prefix: string, page: { after: number; limit: number }): Promise<Original[]> {
    return (await this.database.query<Original>(LIST_SUCCESSFUL, [prefix, page.after, page.limit])).rows;
  }

  /** The object of a successful item is another than was recorded. */
  async correct(mediaId: number, object: { size: number; etag: string; version: string | null }): Promise<boolean> {
    return await this.changes(CORRECT, [mediaId, object.size, object.etag, object.version]);
  }

  /** Whether a PDF carries scripts. */
  async noteScripts({ id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>, scripted: boolean): Promise<void> {
    await this.database.query(NOTE_SCRIPTS, [id, scripted, etag, version]);
  }

  /** The object of a successful item is gone. */
  async lose(mediaId: number): Promise<boolean> {
    return await this.changes(LOSE, [mediaId]);
  }

  /** Successful items of a customer, and their bytes. */
  async sum(customerId: number): Promise<{ bytes: number; items: number }> {
    const row = await this.database.queryOne<{ bytes: number; items: number }>(SUM, [customerId]);
    return { bytes: row?.bytes ?? 0, items: row?.items ?? 0 };
  }

  /** Those of the formats that have media items, whatever their status is. */
  async findFormatsInUse(formatIds: readonly number[]): Promise<number[]> {
    return (await this.database.query<{ id: number }>(FIND_FORMATS_IN_USE, [formatIds])).rows.map(({ id }) => id);
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}
