import type { Container } from '../library/queries';

/** A period on the line of time, in percent of its length. Open ends reach the border. */
export interface Period {
  readonly kind: 'delivery' | 'license';
  readonly from: number;
  readonly to: number;
  /** The dates that limit it; null: open. */
  readonly start: string | null;
  readonly end: string | null;
}

export interface Timeline {
  readonly periods: readonly Period[];
  /** Where today is, in percent. */
  readonly today: number;
}

/** Room before the first and after the last date, as a share of the time between them. */
const MARGIN = 0.1;
const DAY_MS = 86_400_000;
/** Characters of `2026-11-27`. */
const PLAIN_DAY = 10;

/** The periods in which a medium is delivered and licensed; null: neither is limited. */
export function timelineOf(
  { start, end, license, createdAt }: Pick<Container, 'start' | 'end' | 'license' | 'createdAt'>,
  now: number,
): Timeline | null {
  const limits = [
    { kind: 'delivery', start, end },
    { kind: 'license', start: license?.start ?? null, end: license?.end ?? null },
  ] as const;
  const limited = limits.filter((period) => period.start !== null || period.end !== null);
  if (limited.length === 0) return null;
  const dates = [now, Date.parse(createdAt), ...limited.flatMap(({ start, end }) => [...timeOf(start), ...timeOf(end, DAY_MS)])];
  const [first, last] = [Math.min(...dates), Math.max(...dates)];
  const room = Math.max(DAY_MS, (last - first) * MARGIN);
  const place = (time: number) => ((time - first + room) / (last - first + 2 * room)) * 100;
  const periods = limited.map((period) => ({
    ...period,
    from: timeOf(period.start).map(place)[0] ?? 0,
    to: timeOf(period.end, DAY_MS).map(place)[0] ?? 100,
  }));
  return { today: place(now), periods };
}

/** The time of a date, if there is one. A day without a time is its beginning in UTC, or its end with `dayMs`. */
const timeOf = (date: string | null, dayMs = 0): number[] =>
  date === null ? [] : [Date.parse(date) + (date.length === PLAIN_DAY ? dayMs : 0)];
