import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { MediaType } from './format-settings.js';

const FIND = `SELECT id, substr(blueprint_key, length('original-') + 1) AS type FROM formats
  WHERE blueprint_key IN ('original-video', 'original-audio', 'original-image', 'original-document')`;

/** The formats of originals, one for each media type. A migration makes them, and they are never destroyed, so they are read once. */
@Injectable()
export class OriginalFormats {
  private known: Promise<Readonly<Record<MediaType, number>>> | null = null;

  constructor(private readonly database: Database) {}

  /** Their ids by media type. */
  async ids(): Promise<Readonly<Record<MediaType, number>>> {
    this.known ??= this.read();
    try {
      return await this.known;
    } catch (error) {
      this.known = null;
      throw error;
    }
  }

  private async read(): Promise<Readonly<Record<MediaType, number>>> {
    const { rows } = await this.database.outsideTransaction(async () => await this.database.query<{ id: number; type: MediaType }>(FIND));
    return Object.fromEntries(rows.map(({ id, type }) => [type, id])) as Record<MediaType, number>;
  }
}
