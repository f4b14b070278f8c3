import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { HousekeepingService } from '../jobs/index.js';
import { DomainEvent } from './domain-event.entity.js';

/** The job that delivers an event to its listeners stops retrying after about three days. */
const MIN_DAYS = 7;

/**
 * Joins the event whose id is `id`, as `event`. For statements of other modules that claim or list many rows with their events: reading the
 * events separately would cost each of these statements another round trip.
 */
export const joinEvent = (id: string): string => `JOIN events AS event ON event.id = ${id}`;

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
    this.housekeeping.expire(
      'events',
      `created_at < $1::timestamptz - interval '${Math.max(days, MIN_DAYS)} days'
        AND NOT EXISTS (SELECT FROM ${table} AS referring WHERE referring.event_id = events.id)`,
    );
  }

  private get repository() {
    return this.database.repository(DomainEvent);
  }
}
