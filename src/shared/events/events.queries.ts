/**
 * Joins the event whose id is `id`, as `event`. For statements of other modules that claim or list many rows with their events: asking for the
 * events afterwards would cost each of these statements a further round trip.
 */
export const joinEvent = (id: string): string => `JOIN events AS event ON event.id = ${id}`;
