export { DomainEvent } from './domain-event.entity.js';
export { atEventDepth, currentEventDepth, currentRootEvent } from './event-depth.js';
export { type EventListener, EventOutboxService, type ListenerPhase } from './event-outbox.service.js';
export { EVENTS, EventResponse } from './event-payloads.dto.js';
export { EVENT_METHODS, EVENT_NAMES, type EventMethod, type EventName, type EventPayloads, type NewEvent } from './event-types.js';
export { EventsModule } from './events.module.js';
export { EventsRepository, joinEvent } from './events.repository.js';
