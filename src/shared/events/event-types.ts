import { EVENTS } from './event-payloads.dto.js';

/** The members of a class as a plain type, so that object literals are accepted as well as instances. */
type MembersOf<Class extends abstract new () => object> = { [Member in keyof InstanceType<Class>]: InstanceType<Class>[Member] };

/** The payload of each event. */
export type EventPayloads = { [Name in keyof typeof EVENTS]: MembersOf<(typeof EVENTS)[Name]['payload']> };

export type EventName = keyof EventPayloads;
export type EventMethod = 'create' | 'update' | 'destroy';

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

export const EVENT_METHODS = ['create', 'update', 'destroy'] as const satisfies readonly EventMethod[];

/** An event to publish. `depth` counts the events that led to it, so that a chain that causes itself ends (default: see event-depth.ts). */
export type NewEvent = {
  [Name in EventName]: {
    readonly name: Name;
    readonly customerId: number;
    readonly method: EventMethod;
    readonly payload: EventPayloads[Name];
    readonly depth?: number;
    /** The first event of the chain (default: see event-depth.ts). */
    readonly rootId?: string | null;
  };
}[EventName];
