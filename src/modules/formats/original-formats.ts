import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { MediaType } from '../media/index.js';
import { FormatsRepository } from './formats.repository.js';

/** The formats of originals, one for each media type. A migration makes them, and they are never destroyed, so they are read once. */
@Injectable()
export class OriginalFormats {
  private known: Promise<Readonly<Record<MediaType, number>>> | null = null;

  constructor(
    private readonly database: Database,
    private readonly formats: FormatsRepository,
  ) {}

  /** Their ids by media type. */
  async ids(): Promise<Readonly<Record<MediaType, number>>> {
    this.known ??= this.database.outsideTransaction(async () => await this.formats.findOriginals());
    try {
      return await this.known;
    } catch (error) {
      this.known = null;
      throw error;
    }
  }
}
