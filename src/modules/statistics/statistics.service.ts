import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { generalErrors } from '../../shared/errors.js';
import { utcDayOf } from '../../shared/utc-day.js';
import { invalidInput, isId } from '../../shared/validation/index.js';
import { MediaReaderRepository } from '../media/index.js';
import { type StatisticsKey, type StatisticsQuery, StatisticsRepository, type StatisticsRow } from './statistics.repository.js';

const DAY_MS = 86_400_000;
/** A year with its leap day (contract section 13.6). */
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** Which figures a user asks for. */
export interface StatisticsRequest extends Pick<StatisticsQuery, 'filters' | 'limit'> {
  readonly by: StatisticsKey;
  /** Moments or days in ISO 8601; each stands for its day in UTC. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

/** A page of rows. */
interface StatisticsPage {
  readonly rows: readonly StatisticsRow[];
  /** Null: this is the last page. */
  readonly next: string | null;
}

/** Reads what was delivered of the media of a customer. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly media: MediaReaderRepository,
    private readonly clock: Clock,
  ) {}

  /** Sums the figures of the caller's customer. Throws `validation_failed` for more than 366 days, and for a cursor of another list. */
  async find({ customerId }: Caller, { by, from, to, filters, cursor, limit }: StatisticsRequest): Promise<StatisticsPage> {
    const days = this.daysOf({ from, to });
    const after = cursor === undefined ? undefined : decodeCursor(cursor, by);
    const day = filters.day === undefined ? undefined : dayOf('day', new Date(filters.day));
    const rows = await this.statistics.find(customerId, { ...days, by, filters: { ...filters, day }, after, limit });
    const last = rows.at(-1);
    return { rows, next: last && rows.length === limit ? encodeCursor(by, last.key) : null };
  }

  /** The share of plays within 90 days (0 to 1) that saw each hundredth of a film. Throws `not_found`. */
  async findRetention({ customerId }: Caller, mediaContainerId: number): Promise<number[]> {
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container) throw generalErrors.not_found(`There is no media container ${mediaContainerId}.`);
    return await this.statistics.findRetention(mediaContainerId);
  }

  private daysOf({ from, to }: Pick<StatisticsRequest, 'from' | 'to'>): Pick<StatisticsQuery, 'from' | 'to'> {
    const last = to === undefined ? this.clock.now() : new Date(to);
    const first = from === undefined ? new Date(last.getTime() - (DEFAULT_DAYS - 1) * DAY_MS) : new Date(from);
    const days = { from: dayOf('from', first), to: dayOf('to', last) };
    const count = 1 + (Date.parse(days.to) - Date.parse(days.from)) / DAY_MS;
    if (count < 1) throw invalidInput({ path: 'to', code: 'before_from', message: 'to must not be before from' });
    if (count > MAX_DAYS)
      throw invalidInput({ path: 'from', code: 'too_many_days', message: `from and to may span at most ${MAX_DAYS} days` });
    return days;
  }
}

/** The day of a moment in UTC, in the years that PostgreSQL and ISO 8601 write in the same way. Throws `validation_failed`. */
function dayOf(path: string, moment: Date): string {
  const day = utcDayOf(moment);
  if (isDay(day)) return day;
  throw invalidInput({ path, code: 'is_day', message: `${path} must be a day in the years 1 to 9999 in UTC` });
}

const isDay = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000') && !Number.isNaN(Date.parse(text));

const encodeCursor = (by: StatisticsKey, key: string | number): string => Buffer.from(JSON.stringify([by, key])).toString('base64url');

/** The types of keys: days and ids are compared with columns of their types. */
const KEYS: Readonly<Record<StatisticsKey, (key: unknown) => key is string | number>> = {
  day: isDay,
  ...{ mediaContainer: isIdOrNone, embedLink: isIdOrNone, playerConfiguration: isIdOrNone },
  ...{ host: isText, device: isText, rule: isText },
};

function isIdOrNone(key: unknown): key is number {
  return key === 0 || isId(key);
}

function isText(key: unknown): key is string {
  return typeof key === 'string' && !key.includes('\0');
}

function decodeCursor(cursor: string, by: StatisticsKey): string | number {
  const [name, key] = parse(cursor);
  if (name === by && KEYS[by](key)) return key;
  throw invalidInput({ path: 'cursor', code: 'cursor', message: 'cursor must be taken from the Link header of the previous page' });
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
