import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { HousekeepingService } from '../jobs/index.js';
import { DomainEvent } from './domain-event.entity.js';
import { expiredAndUnreferenced } from './events.queries.js';

/** The job that delivers an event to its listeners stops retrying after about three days. */
const MIN_DAYS = 7;

/** The table of events, for modules whose rows reference events. EventOutboxService writes it. */
@Injectable()
export class EventsRepository {
  constructor(
    private readonly database: Database,
    private readonly housekeeping: HousekeepingService,
  ) {}

  /** Locks the first event of a chain; returns the number of runs that later events caused, or null if the event no longer exists. */
  async lockFurtherRuns(id: string): Promise<number | null> {
    const event = await this.repository.findOne({
      select: { id: true, furtherRuns: true },
      where: { id },
      lock: { mode: 'for_no_key_update' },
    });
    return event?.furtherRuns ?? null;
  }

  async addFurtherRuns(id: string, runs: number): Promise<void> {
    await this.repository.increment({ id }, 'furtherRuns', runs);
  }

  /**
   * Declares that events are deleted after `days`, except those that a row of `table` references by its `event_id`. `table` must be a
   * constant, never input.
   */
  expireUnreferenced({ table, days }: { readonly table: string; readonly days: number }): void {
    this.housekeeping.expire('events', expiredAndUnreferenced(table, Math.max(days, MIN_DAYS)));
  }

  private get repository() {
    return this.database.repository(DomainEvent);
  }
}
