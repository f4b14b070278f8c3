import { Injectable } from '@nestjs/common';
import { type Cached, Caches, type NotifiedCache } from '../../shared/cache/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { DeliveredConfiguration } from './delivered-configuration.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** What a process remembers; one is a few KiB. */
const REMEMBERED_CONFIGURATIONS = 10_000;

/** Player configurations for those who use them, from memory: the same object until it changes. Who changes one tells by `changing`. */
@Injectable()
export class PlayerConfigurationReader {
  private readonly cache: NotifiedCache<DeliveredConfiguration>;

  constructor(configurations: PlayerConfigurationsRepository, caches: Caches) {
    this.cache = caches.create({
      channel: 'player_configurations_changed',
      load: async (id) => await configurations.findById(Number(id)),
      limit: REMEMBERED_CONFIGURATIONS,
    });
  }

  /** Null: there is none of this id for this customer. `refresh` reads it from the database. */
  async find(customerId: number, id: number, { refresh = false } = {}): Promise<Cached<DeliveredConfiguration> | null> {
    if (!Number.isInteger(id) || id < 1 || id > MAX_ID) return null;
    const found = await this.cache.get(String(id), { refresh });
    return found?.value.customerId === customerId ? found : null;
  }

  /** Runs a change of configurations; every process forgets them at its commit. */
  async changing<Result>(ids: readonly number[], change: () => Promise<Result>): Promise<Result> {
    return await this.cache.changing(ids.map(String), change);
  }

  /** Forgets them in this process, for those whose `changing` was part of a larger transaction. */
  forget(ids: readonly number[]): void {
    for (const id of ids) this.cache.forget(String(id));
  }
}
