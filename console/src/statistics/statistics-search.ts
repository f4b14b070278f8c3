import { enumerations } from '@media-delivery/sdk';

/** What statistics are split by, and the devices that they know. */
export const { by: SPLITS, device: DEVICES } = enumerations['GET /v5/statistics'];
export type Split = (typeof SPLITS)[number];

/** What is counted. */
export const FIGURES = ['plays', 'watchedSeconds', 'finished', 'downloads', 'pictures', 'refused', 'bytes'] as const;
export type Figure = (typeof FIGURES)[number];

export type Device = (typeof DEVICES)[number];

/** What is counted only: everything that one row of a split stands for. */
export interface StatisticsFilters {
  readonly day?: string;
  readonly mediaContainer?: number;
  readonly embedLink?: number;
  readonly playerConfiguration?: number;
  readonly host?: string;
  readonly device?: Device;
  readonly rule?: string;
}

/** What the address of the statistics says. Absent: the plays of the last 30 days, by day. Days are those of UTC, as in the service. */
export interface StatisticsSearch extends StatisticsFilters {
  readonly from?: string;
  readonly to?: string;
  readonly by?: Exclude<Split, 'day'>;
  readonly figure?: Exclude<Figure, 'plays'>;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const day = (value: unknown) => (typeof value === 'string' && DAY.test(value) ? value : undefined);
const id = (value: unknown) => (typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined);
/** Values that consist of digits only are read from an address as numbers. */
const words = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined);
const oneOf = <Value extends string>(known: readonly Value[], value: unknown) => known.find((one) => one === value);

/** Reads the query of an address; what it does not know is left out. */
export function readStatisticsSearch(query: Record<string, unknown>): StatisticsSearch {
  const by = oneOf(SPLITS, query.by);
  const figure = oneOf(FIGURES, query.figure);
  const read: Record<keyof StatisticsSearch, string | number | undefined> = {
    from: day(query.from),
    to: day(query.to),
    by: by === 'day' ? undefined : by,
    figure: figure === 'plays' ? undefined : figure,
    ...filtersOf(query),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as StatisticsSearch;
}

function filtersOf(query: Record<string, unknown>) {
  return {
    day: day(query.day),
    mediaContainer: id(query.mediaContainer),
    embedLink: id(query.embedLink),
    playerConfiguration: id(query.playerConfiguration),
    host: words(query.host),
    device: oneOf(DEVICES, query.device),
    rule: words(query.rule),
  };
}

const DAY_MS = 86_400_000;

/** The days in UTC from the first to the last one, both included, as YYYY-MM-DD; at most 366, as in the service. */
export function daysBetween(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = Math.min(Math.max(Math.round((last - first) / DAY_MS) + 1, 0), 366);
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10));
}

/** The period of an address; by default the 30 days that end at `now`. */
export function periodOf({ from, to }: StatisticsSearch, now: Date): { readonly from: string; readonly to: string } {
  const last = to ?? now.toISOString().slice(0, 10);
  return { from: from ?? daysBefore(last, 29), to: last };
}

export const daysBefore = (date: string, days: number): string => new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);
