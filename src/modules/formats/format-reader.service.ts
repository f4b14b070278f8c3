import { Injectable } from '@nestjs/common';
import { type Cached, CachesService, type NotifiedCache } from '../../shared/caches.service.js';
import { Database } from '../../shared/database/index.js';
import { SharedWork } from '../../shared/shared-work.js';
import type { MediaType } from '../media/index.js';
import type { Format } from './format.entity.js';
import { FormatsRepository } from './formats.repository.js';
import { resolveSettings } from './stored-settings.js';

/** Number of customers whose formats are cached; a customer has a few dozen. */
const MAX_CACHED_CUSTOMERS = 1_000;
const FORMATS_CHANGED = 'formats_changed';

/** All formats that one customer sees, each with its effective settings. */
export interface VisibleFormats {
  /** In the order of their ids. */
  readonly all: readonly Format[];
  readonly byId: ReadonlyMap<number, Format>;
}

/** Reads formats for other modules, from the cache. Every change must be made inside `changing`. */
@Injectable()
export class FormatReaderService {
  private readonly cache: NotifiedCache<VisibleFormats>;
  private readonly originals = new SharedWork<Readonly<Record<MediaType, number>>>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(
    private readonly formats: FormatsRepository,
    private readonly database: Database,
    caches: CachesService,
  ) {
    this.cache = caches.create({
      channel: FORMATS_CHANGED,
      load: async (customerId) => toVisible(await this.formats.listVisible(Number(customerId))),
      limit: MAX_CACHED_CUSTOMERS,
    });
  }

  /** Returns what a customer sees: its own formats and the blueprints, including those with flag 1. */
  async visibleTo(customerId: number, { refresh = false } = {}): Promise<Cached<VisibleFormats>> {
    return (await this.cache.get(String(customerId), { refresh })) as Cached<VisibleFormats>; // `load` always returns a value
  }

  async find(customerId: number, id: number): Promise<Format | null> {
    return (await this.visibleTo(customerId)).value.byId.get(id) ?? null;
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

  /** Runs a change of a customer's formats (null: blueprints). Every process removes them from its cache when the change is committed. */
  async changing<Result>(customerId: number | null, change: () => Promise<Result>): Promise<Result> {
    return await this.cache.changing([customerId === null ? '' : String(customerId)], change);
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
