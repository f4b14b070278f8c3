import { EVENT_NAMES, type EventName } from './events';

/** What the address of the subscriptions says. Absent: for all events. */
export interface SubscriptionsSearch {
  readonly event?: EventName;
}

export function readSubscriptionsSearch({ event }: Record<string, unknown>): SubscriptionsSearch {
  const known = EVENT_NAMES.find((name) => name === event);
  return known ? { event: known } : {};
}
