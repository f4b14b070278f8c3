import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { HousekeepingService } from '../jobs/index.js';
import { DomainEvent } from './domain-event.entity.js';
import { expiredAndUnreferenced } from './events.queries.js';

/** The job that delivers an event to its listeners is given up after about three days. */
const MIN_DAYS = 7;

/** The table of events, for modules whose rows refer to events. EventOutboxService writes it. */
@Injectable()
export class EventsRepository {
  constructor(
    private readonly database: Database,
    private readonly housekeeping: HousekeepingService,
  ) {}

  /** Locks the event with which a chain began; returns the runs that its further events caused, null if the event is no longer kept. */
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
   * Declares that events are deleted after so many days, except those to which a row of `table` refers by its `event_id`. The name is a constant of the
   * code, never input.
   */
  expireUnreferenced({ table, days }: { readonly table: string; readonly days: number }): void {
    this.housekeeping.expire('events', expiredAndUnreferenced(table, Math.max(days, MIN_DAYS)));
  }

  private get repository() {
    return this.database.repository(DomainEvent);
  }
}
