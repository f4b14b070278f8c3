/**
 * Joins the event whose id is `id`, as `event`. For statements of other modules that claim or list many rows with their events: reading the
 * events separately would cost each of these statements another round trip.
 */
export const joinEvent = (id: string): string => `JOIN events AS event ON event.id = ${id}`;

/** The condition of housekeeping: raw SQL, because rows are deleted in batches and kept while a row of another table references them. */
export const expiredAndUnreferenced = (table: string, days: number): string =>
  `created_at < $1::timestamptz - interval '${days} days' AND NOT EXISTS (SELECT FROM ${table} AS referring WHERE referring.event_id = events.id)`;
