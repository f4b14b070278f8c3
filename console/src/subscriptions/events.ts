import { type components, events } from '@media-delivery/sdk';

type Schemas = components['schemas'];
export type EventName = Schemas['SuspectedEventDto']['name'];
export type Method = Schemas['SuspectedEventDto']['method'];

export const EVENT_NAMES = Object.keys(events) as EventName[];

interface Example {
  readonly method: Method;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The example of an event, as JSON that a person can change, with the members on which a subscription can depend. */
export const exampleOf = (name: EventName): Example => events[name];
