import { Injectable } from '@nestjs/common';
import { type Cached, CachesService, type NotifiedCache } from '../../shared/caches.service.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** The number of configurations that a process caches; each takes a few KiB. */
const MAX_CONFIGURATIONS = 10_000;

/** Caches player configurations; the object stays the same until it changes. Every change must run inside `changing`. */
@Injectable()
export class PlayerConfigurationCacheService {
  private readonly cache: NotifiedCache<DeliveredConfiguration>;

  constructor(configurations: PlayerConfigurationsRepository, caches: CachesService) {
    this.cache = caches.create({
      channel: 'player_configurations_changed',
      load: async (id) => await configurations.findById(Number(id)),
      limit: MAX_CONFIGURATIONS,
    });
  }

  /** Finds a configuration; null: the customer has none with this id. `refresh` reads it from the database. */
  async find(customerId: number, id: number, { refresh = false } = {}): Promise<Cached<DeliveredConfiguration> | null> {
    if (!Number.isInteger(id) || id < 1 || id > MAX_ID) return null;
    const found = await this.cache.get(String(id), { refresh });
    return found?.value.customerId === customerId ? found : null;
  }

  /** Runs a change of configurations; every process removes them from its cache at the commit. */
  async changing<Result>(ids: readonly number[], change: () => Promise<Result>): Promise<Result> {
    return await this.cache.changing(ids.map(String), change);
  }

  /** Removes configurations from the cache of this process, after a `changing` that was part of a larger transaction. */
  drop(ids: readonly number[]): void {
    for (const id of ids) this.cache.invalidate(String(id));
  }
}
