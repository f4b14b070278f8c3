import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/index.js';
import { Jobs } from '../jobs/index.js';
import { DomainEvent } from './domain-event.entity.js';
import { currentEventDepth, currentRootEvent } from './event-depth.js';
import type { EventName, NewEvent } from './event-types.js';

const TASK = 'deliver_event';

/** Hears every event at least once, after the transaction that caused it has committed. It must bear to hear one twice. */
export type EventListener = (event: DomainEvent) => Promise<void>;

/** Sees every event in the transaction that causes it; when it throws, the cause is undone too. */
export type EventWitness = (event: DomainEvent) => Promise<void>;

/** Publishes events in the ambient transaction and hands them to their listeners in a job. */
@Injectable()
export class EventOutbox implements OnModuleInit {
  private readonly listeners: { readonly names: ReadonlySet<EventName>; readonly hear: EventListener }[] = [];
  private readonly witnesses: EventWitness[] = [];

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ eventId: string }>(TASK, async ({ eventId }) => await this.deliver(eventId));
  }

  /** Calls `hear` for every event of these names; register before the application starts. */
  listen(names: readonly EventName[], hear: EventListener): void {
    this.listeners.push({ names: new Set(names), hear });
  }

  /** Calls `witness` in the transaction of every event; register before the application starts. */
  witness(witness: EventWitness): void {
    this.witnesses.push(witness);
  }

  /** Writes an event and hands it out, in the ambient transaction. */
  async publish(event: NewEvent): Promise<DomainEvent> {
    return await this.database.transaction(async () => {
      const stored = await this.record(event);
      for (const witness of this.witnesses) await witness(stored);
      if (this.listenersOf(stored.name).length > 0) await this.jobs.add(TASK, { eventId: stored.id });
      return stored;
    });
  }

  /** Writes an event that is handed to nobody, for who knows what to do with it. */
  async record(event: NewEvent): Promise<DomainEvent> {
    const repository = this.database.repository(DomainEvent);
    const { depth = currentEventDepth(), rootId = currentRootEvent() } = event;
    return await repository.save(repository.create({ ...event, depth, rootId }));
  }

  private async deliver(eventId: string): Promise<void> {
    const event = await this.database.repository(DomainEvent).findOneBy({ id: eventId });
    if (!event) return;
    const results = await Promise.allSettled(this.listenersOf(event.name).map(async (hear) => await hear(event)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    // The job is tried again, for all of them; one that fails does not keep the others from hearing.
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} listeners failed to hear the event ${eventId}`);
  }

  private listenersOf(name: EventName): EventListener[] {
    return this.listeners.flatMap(({ names, hear }) => (names.has(name) ? [hear] : []));
  }
}
