export { DomainEvent } from './domain-event.entity.js';
export { type EventListener, EventOutbox } from './event-outbox.js';
export type { EventMethod, EventName, EventPayloads, NewEvent } from './event-types.js';
export { EventsModule } from './events.module.js';
