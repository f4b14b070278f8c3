import { Injectable } from '@nestjs/common';
import { Database, Notifications } from '../database/index.js';
import { Clock } from '../time/index.js';
import { CacheBudget } from './cache-budget.js';
import { type CacheOptions, NotifiedCache } from './notified-cache.js';

/** Makes the caches of a process; call it in a constructor, before the process begins to listen. */
@Injectable()
export class Caches {
  private readonly budget = new CacheBudget();

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  create<Value>(options: CacheOptions<Value>): NotifiedCache<Value> {
    return new NotifiedCache(options, {
      database: this.database,
      notifications: this.notifications,
      clock: this.clock,
      budget: this.budget,
    });
  }
}
