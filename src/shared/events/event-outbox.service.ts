import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/index.js';
import { JobsService } from '../jobs/index.js';
import { SeriesCounter, seriesByValue } from '../series-counter.js';
import { currentTraceparent, noteInTrace } from '../tracing/index.js';
import { DomainEvent } from './domain-event.entity.js';
import { currentEventDepth, currentRootEvent } from './event-depth.js';
import { EVENT_NAMES, type EventName, type NewEvent } from './event-types.js';

const TASK = 'deliver_event';

const published = seriesByValue(
  new SeriesCounter({ name: 'events_total', help: 'Published events, by event.', labels: ['event'] }),
  'event',
  EVENT_NAMES,
);

export type EventListener = (event: DomainEvent) => Promise<void>;

/**
 * When a listener is called. `in-transaction`: in the event's transaction; if it throws, the cause of the event is rolled back too.
 * `after-commit`: in a job, at least once, so a repeated call for the same event must be harmless.
 */
export type ListenerPhase = 'in-transaction' | 'after-commit';

interface Registration {
  readonly names: ReadonlySet<EventName>;
  readonly phase: ListenerPhase;
  readonly listener: EventListener;
}

/** Publishes events in the ambient transaction and calls their listeners. */
@Injectable()
export class EventOutboxService implements OnModuleInit {
  private readonly registrations: Registration[] = [];

  constructor(
    private readonly database: Database,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ eventId: string }>(TASK, async ({ eventId }) => await this.deliver(eventId));
  }

  /** Registers a listener for events with these names; register before the application starts. */
  addListener(names: readonly EventName[], phase: ListenerPhase, listener: EventListener): void {
    this.registrations.push({ names: new Set(names), phase, listener });
  }

  /** Writes an event and calls its listeners, in the ambient transaction or in a job of it. */
  async publish(event: NewEvent): Promise<DomainEvent> {
    return await this.database.transaction(async () => await this.publishTogether(event));
  }

  private async publishTogether(event: NewEvent): Promise<DomainEvent> {
    const stored = await this.record(event);
    for (const listener of this.listenersOf(stored.name, 'in-transaction')) await listener(stored);
    if (this.listenersOf(stored.name, 'after-commit').length > 0) await this.jobs.add(TASK, { eventId: stored.id });
    this.database.afterCommit(() => {
      published[stored.name].count += 1;
    });
    return stored;
  }

  /** Writes an event without calling listeners. */
  async record(event: NewEvent): Promise<DomainEvent> {
    const repository = this.database.repository(DomainEvent);
    const { depth = currentEventDepth(), rootId = currentRootEvent() } = event;
    noteInTrace(event.name);
    return await repository.save(repository.create({ ...event, depth, rootId, traceparent: currentTraceparent() }));
  }

  private async deliver(eventId: string): Promise<void> {
    const event = await this.database.repository(DomainEvent).findOneBy({ id: eventId });
    if (!event) return;
    const results = await Promise.allSettled(this.listenersOf(event.name, 'after-commit').map(async (listener) => await listener(event)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    // The job is attempted again for all listeners; a failing listener does not keep the others from being called.
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} listeners failed to handle the event ${eventId}`);
  }

  private listenersOf(name: EventName, phase: ListenerPhase): EventListener[] {
    return this.registrations.flatMap((one) => (one.phase === phase && one.names.has(name) ? [one.listener] : []));
  }
}
