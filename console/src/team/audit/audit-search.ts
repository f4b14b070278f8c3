/** What the address of the audit trail says. Absent: everything, the newest first. Days are those of the browser's time zone. */
export interface AuditSearch {
  readonly action?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const words = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined);
const day = (value: unknown) => (typeof value === 'string' && DAY.test(value) && isDay(value) ? value : undefined);
const isDay = (value: string) => Number.isFinite(Date.parse(value));

/** Reads the query of an address; what it does not know is left out. */
export function readAuditSearch(query: Record<string, unknown>): AuditSearch {
  const read: Record<keyof AuditSearch, string | undefined> = {
    action: words(query.action),
    actor: words(query.actor),
    subject: words(query.subject),
    from: day(query.from),
    to: day(query.to),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** The filters of the service for an address. Its limits of time are exclusive: a day begins after the last millisecond of the day before. */
export function toFilters({ from, to, ...filters }: AuditSearch) {
  return {
    ...filters,
    ...(from && { createdAfter: new Date(startOf(from).getTime() - 1).toISOString() }),
    ...(to && { createdBefore: startOf(to, 1).toISOString() }),
  };
}

/** The beginning of a day, or of one `later` days later, in the time zone of the browser. */
function startOf(date: string, later = 0): Date {
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + later);
}

/** The id of the user that an actor or subject names; null: it is something else. */
export function userIdOf(name: string): number | null {
  const [, id] = /^user:([1-9]\d{0,9})$/.exec(name) ?? [];
  return id === undefined ? null : Number(id);
}
