import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { cacheLookups } from '../../shared/cache-lookups.js';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Characters of JSON of the configurations that a process keeps: thousands, because most have a few KiB. Objects take about twice as many bytes. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** A configuration and when it was read from the database. */
export interface FreshConfiguration {
  readonly value: DeliveredConfiguration;
  readonly readAt: Date;
}

const lookups = cacheLookups('player_configurations');

/** Caches player configurations by id and version. Callers state the version that the database has now, so nothing has to be invalidated. */
@Injectable()
export class PlayerConfigurationCacheService {
  private readonly cache = new LRUCache<string, FreshConfiguration>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ value }) => JSON.stringify(value).length,
  });

  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Finds the current version of a configuration; null: the customer has none with this id. `refresh` reads it from the database. */
  async find(customerId: number, id: number, { refresh = false } = {}): Promise<FreshConfiguration | null> {
    if (!Number.isInteger(id) || id < 1 || id > MAX_ID) return null;
    const version = await this.configurations.findVersion(customerId, id);
    if (version === null) return null;
    return refresh ? await this.read(id) : await this.findOrRead(id, version);
  }

  /** Returns a configuration that has this version in the database, or a later one; null: it has been destroyed since. */
  async findVersion(id: number, version: number): Promise<DeliveredConfiguration | null> {
    return (await this.findOrRead(id, version))?.value ?? null;
  }

  private async findOrRead(id: number, version: number): Promise<FreshConfiguration | null> {
    const known = this.cache.get(keyOf({ id, version }));
    lookups[known ? 'hit' : 'miss'].count += 1;
    return known ?? (await this.read(id));
  }

  /** Reads a configuration outside the ambient transaction, whose changes may be rolled back. */
  private async read(id: number): Promise<FreshConfiguration | null> {
    const readAt = this.clock.now();
    const value = await this.database.outsideTransaction(async () => await this.configurations.findById(id));
    if (!value) return null;
    const found = { value, readAt };
    this.cache.set(keyOf(value), found);
    return found;
  }
}

const keyOf = ({ id, version }: Pick<DeliveredConfiguration, 'id' | 'version'>): string => `${id} ${version}`;
