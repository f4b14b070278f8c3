import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { cacheLookups } from '../../shared/cache-lookups.js';
import { Database } from '../../shared/database/index.js';
import { SharedWork } from '../../shared/shared-work.js';
import type { MediaType } from '../media/index.js';
import type { Format } from './format.entity.js';
import { FormatsRepository } from './formats.repository.js';
import { resolveSettings } from './stored-settings.js';

/** All formats that one customer sees, each with its effective settings. */
export interface VisibleFormats {
  /** In the order of their ids. */
  readonly all: readonly Format[];
  readonly byId: ReadonlyMap<number, Format>;
}

/** What a customer sees, and whether it came from memory (`fromCache` in the specification, section Format). */
export interface ReadFormats {
  readonly visible: VisibleFormats;
  readonly fromCache: boolean;
}

/** Formats of all customers together; a customer has a few dozen, each of some KiB. */
const MAX_CACHED_FORMATS = 5_000;

const lookups = cacheLookups('formats');

/** Reads formats for other modules. */
@Injectable()
export class FormatReaderService {
  private readonly cache = new LRUCache<string, VisibleFormats>({ maxSize: MAX_CACHED_FORMATS });
  private readonly originals = new SharedWork<Readonly<Record<MediaType, number>>>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(
    private readonly formats: FormatsRepository,
    private readonly database: Database,
  ) {}

  /** Returns what a customer sees: its own formats and the blueprints, including those with flag 1. */
  async visibleTo(customerId: number): Promise<VisibleFormats> {
    return (await this.readVisible(customerId)).visible;
  }

  /** The same. It comes from memory only if nothing has changed in the database since it was read; with `refresh` it never does. */
  async readVisible(customerId: number, { refresh = false } = {}): Promise<ReadFormats> {
    const key = `${customerId} ${await this.formats.stampVisible(customerId)}`;
    const known = refresh ? undefined : this.cache.get(key);
    lookups[known ? 'hit' : 'miss'].count += 1;
    if (known) return { visible: known, fromCache: true };
    const visible = toVisible(await this.formats.listVisible(customerId));
    this.cache.set(key, visible, { size: visible.all.length + 1 });
    return { visible, fromCache: false };
  }

  async find(customerId: number, id: number): Promise<Format | null> {
    return (await this.visibleTo(customerId)).byId.get(id) ?? null;
  }

  /** Returns the ids of the formats of originals by media type. They are never destroyed, so they are read once. */
  async originalIds(): Promise<Readonly<Record<MediaType, number>>> {
    const find = async () => await this.formats.findOriginals();
    return await this.originals.get(async () => await this.database.outsideTransaction(find));
  }

  /**
   * Keeps formats from being destroyed until the transaction ends; false: one of them is gone, or has flag 1 and is not in `flagged`. Other locks of
   * the same transaction must be taken afterwards, as destructions do.
   */
  async lockAgainstDestruction(ids: readonly number[], { flagged = [] }: { readonly flagged?: readonly number[] } = {}): Promise<boolean> {
    return (await this.formats.lockExisting(ids, flagged)).length === ids.length;
  }
}

function toVisible(stored: readonly Format[]): VisibleFormats {
  const storedById = new Map(stored.map((format) => [format.id, format]));
  const all = stored.map((format) => ({
    ...format,
    settings: resolveSettings(format, storedById.get(format.blueprintId ?? 0) ?? null),
  }));
  return { all, byId: new Map(all.map((format) => [format.id, format])) };
}
