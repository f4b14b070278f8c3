import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/index.js';
import { Jobs } from '../jobs/index.js';
import { DomainEvent } from './domain-event.entity.js';
import type { NewEvent } from './event-types.js';

const TASK = 'deliver_event';

/** Hears every event at least once, after the transaction that caused it has committed. It must bear to hear one twice. */
export type EventListener = (event: DomainEvent) => Promise<void>;

/** Publishes events in the ambient transaction and hands them to their listeners in a job. */
@Injectable()
export class EventOutbox implements OnModuleInit {
  private readonly listeners: EventListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ eventId: string }>(TASK, async ({ eventId }) => await this.deliver(eventId));
  }

  /** Calls `listener` for every event; register before the application starts. */
  listen(listener: EventListener): void {
    this.listeners.push(listener);
  }

  async publish(event: NewEvent): Promise<DomainEvent> {
    return await this.database.transaction(async () => {
      const repository = this.database.repository(DomainEvent);
      const stored = await repository.save(repository.create({ ...event, depth: event.depth ?? 0 }));
      await this.jobs.add(TASK, { eventId: stored.id });
      return stored;
    });
  }

  private async deliver(eventId: string): Promise<void> {
    const event = await this.database.repository(DomainEvent).findOneBy({ id: eventId });
    if (!event) return;
    const results = await Promise.allSettled(this.listeners.map(async (listener) => await listener(event)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    // The job is tried again, for all of them; one that fails does not keep the others from hearing.
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} listeners failed to hear the event ${eventId}`);
  }
}
