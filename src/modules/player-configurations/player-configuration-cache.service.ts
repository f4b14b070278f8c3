import { Injectable } from '@nestjs/common';
import { type Cached, CachesService, type VersionedCache } from '../../shared/caches.service.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** The number of configurations that a process caches; each takes a few KiB. */
const MAX_CONFIGURATIONS = 10_000;

/** Caches player configurations by id and version. The object stays the same until the configuration changes. */
@Injectable()
export class PlayerConfigurationCacheService {
  private readonly cache: VersionedCache<DeliveredConfiguration>;

  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    caches: CachesService,
  ) {
    this.cache = caches.createVersioned({
      name: 'player_configurations',
      load: async (id) => await configurations.findById(id),
      limit: MAX_CONFIGURATIONS,
    });
  }

  /** Finds the current version of a configuration; null: the customer has none with this id. `refresh` reads it from the database. */
  async find(customerId: number, id: number, { refresh = false } = {}): Promise<Cached<DeliveredConfiguration> | null> {
    if (!Number.isInteger(id) || id < 1 || id > MAX_ID) return null;
    const version = await this.configurations.findVersion(customerId, id);
    return version === null ? null : await this.cache.get(id, version, { refresh });
  }

  /** Returns a configuration that has this version in the database, or a later one; null: it has been destroyed since. */
  async findVersion(id: number, version: number): Promise<DeliveredConfiguration | null> {
    return (await this.cache.get(id, version))?.value ?? null;
  }
}
