import { Injectable } from '@nestjs/common';
import { Database, isForeignKeyViolation } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import type { Device } from './device.js';
import { type Hundredths, toBits } from './hundredths.js';

/** What was delivered, to which kind of viewer. */
export interface Delivered {
  readonly customerId: number;
  readonly mediaContainerId: number;
  /** 0: by a download link. */
  readonly embedLinkId: number;
  /** 0: by a download link. */
  readonly playerConfigurationId: number;
  /** The host of the page around it; empty: there is no page, or it does not say. */
  readonly host: string;
  readonly device: Device;
  /** Whether the viewer is a user of the customer, whose visits are not counted. */
  readonly isOwners?: boolean;
}

/** What is known of a play so far; a later report of a play includes the earlier ones. */
export interface PlayReport extends Delivered {
  readonly kind: 'play';
  /** A uuid. */
  readonly id: string;
  /** The day in UTC on which it began. */
  readonly day: string;
  /** Seconds watched; ignored if `fetchedLength` is given. */
  readonly watchedSeconds: number;
  readonly seen: Hundredths;
  /** The seconds of the film, if the player only fetched it, so that it watched what it fetched; null: the player reports what it plays. */
  readonly fetchedLength: number | null;
}

/** Figures of one day to add. */
export interface CountedFigures extends Delivered {
  readonly kind: 'figures';
  /** UTC. */
  readonly day: string;
  /** The delivery rule that refused; empty: nothing was refused. */
  readonly rule: string;
  readonly downloads: number;
  readonly pictures: number;
  readonly refused: number;
  readonly bytes: number;
}

export const STATISTICS_KEYS = ['day', 'mediaContainer', 'embedLink', 'playerConfiguration', 'host', 'device', 'rule'] as const;
export type StatisticsKey = (typeof STATISTICS_KEYS)[number];

/** The column of each key, its type, and the value that means that it is absent. */
const COLUMNS: Readonly<Record<StatisticsKey, { readonly column: string; readonly type: 'date' | 'int' | 'text' }>> = {
  day: { column: 'day', type: 'date' },
  mediaContainer: { column: 'media_container_id', type: 'int' },
  embedLink: { column: 'embed_link_id', type: 'int' },
  playerConfiguration: { column: 'player_configuration_id', type: 'int' },
  host: { column: 'host', type: 'text' },
  device: { column: 'device', type: 'text' },
  rule: { column: 'rule', type: 'text' },
};

/** Which figures to sum. */
export interface StatisticsQuery {
  readonly by: StatisticsKey;
  /** Days in UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly filters: Readonly<Partial<Record<StatisticsKey, string | number>>>;
  /** Only keys after this one. */
  readonly after?: string | number;
  readonly limit: number;
}

/** The sums of one key; 0 or empty: what has none. */
export interface StatisticsRow {
  readonly key: string | number;
  readonly plays: number;
  readonly watchedSeconds: number;
  readonly finished: number;
  readonly downloads: number;
  readonly pictures: number;
  readonly refused: number;
  readonly bytes: number;
}

const KEPT_DAYS = 90;
/** Plays that a retention is computed from: enough for shares of a hundredth, and read within a tenth of a second. */
const MAX_PLAYS = 10_000;

const DIMENSIONS = 'customer_id, day, media_container_id, embed_link_id, player_configuration_id, host, device';
const FIGURES = ['plays', 'watched_seconds', 'finished', 'downloads', 'pictures', 'refused', 'bytes'] as const;

/** Reads a list of rows as JSON ($n, bytes) with these columns. */
const rowsOf = (parameter: string, columns: string): string =>
  `jsonb_to_recordset(${parameter}::jsonb) AS row (customer_id int, day date, media_container_id int, embed_link_id int,
    player_configuration_id int, host text, device text, ${columns})`;

/** The seconds of the hundredths that were fetched; null if the length is. */
const fetchedSeconds = (seen: string, length: string): string => `round(bit_count(${seen}) * ${length} / 100)::int`;

/**
 * Plays ($1) are merged with what is known of them: seconds and hundredths only grow, so a repeated report adds nothing. What they add, and the other
 * figures ($2), is added to the day. Rows are locked in one order by all processes.
 */
const ADD = `
  WITH kept AS (
    INSERT INTO plays AS play (id, ${DIMENSIONS}, seen, watched_seconds, fetched_length, finished, previous_seconds, was_finished)
      SELECT id, ${DIMENSIONS}, seen::bit(100), coalesce(${fetchedSeconds('seen::bit(100)', 'fetched_length')}, watched_seconds), fetched_length,
        bit_count(substring(seen::bit(100) FROM 96)) > 0, 0, false
      FROM ${rowsOf('$1', 'id uuid, watched_seconds int, seen text, fetched_length float8')} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET seen = play.seen | excluded.seen, finished = play.finished OR excluded.finished,
      watched_seconds = greatest(play.watched_seconds, excluded.watched_seconds,
        ${fetchedSeconds('(play.seen | excluded.seen)', 'play.fetched_length')}),
      previous_seconds = play.watched_seconds, was_finished = play.finished
    RETURNING *, (xmax = 0)::int AS begun
  ),
  added AS (
    SELECT ${DIMENSIONS}, rule, 0 AS plays, 0::bigint AS watched_seconds, 0 AS finished, downloads, pictures, refused, bytes
      FROM ${rowsOf('$2', 'rule text, downloads int, pictures int, refused int, bytes bigint')}
    UNION ALL
    SELECT ${DIMENSIONS}, '', begun, watched_seconds - previous_seconds, (finished AND NOT was_finished)::int, 0, 0, 0, 0 FROM kept
  )
  INSERT INTO daily_figures AS figures (${DIMENSIONS}, rule, ${FIGURES.join(', ')})
    SELECT ${DIMENSIONS}, rule, ${FIGURES.map((name) => `sum(${name})`).join(', ')} FROM added GROUP BY ${DIMENSIONS}, rule
    HAVING ${FIGURES.map((name) => `sum(${name}) > 0`).join(' OR ')} ORDER BY ${DIMENSIONS}, rule
  ON CONFLICT (${DIMENSIONS}, rule) DO UPDATE SET ${FIGURES.map((name) => `${name} = figures.${name} + excluded.${name}`).join(', ')}`;

/** Sums by one key ($1 customer, $2 and $3 days, $4 the key before, $5 the number of rows, and then the filters in the order of the keys). */
const FIND = Object.fromEntries(
  STATISTICS_KEYS.map((by) => {
    const { column, type } = COLUMNS[by];
    const filters = STATISTICS_KEYS.map((name, index) => {
      const parameter = `$${6 + index}::${COLUMNS[name].type}`;
      return `(${parameter} IS NULL OR ${COLUMNS[name].column} = ${parameter})`;
    });
    const sums = FIGURES.map((name) => `sum(${name})::float8 AS "${name === 'watched_seconds' ? 'watchedSeconds' : name}"`);
    const key = type === 'date' ? `to_char(${column}, 'YYYY-MM-DD')` : column;
    return [
      by,
      `SELECT ${key} AS key, ${sums.join(', ')} FROM daily_figures
        WHERE customer_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::${type} IS NULL OR ${column} > $4::${type}) AND ${filters.join(' AND ')}
        GROUP BY ${column} ORDER BY ${column} LIMIT $5`,
    ];
  }),
) as Readonly<Record<StatisticsKey, string>>;

/** The share of plays ($1 container, $2 the most of them) that saw each hundredth, in one row. */
const RETENTION = `SELECT count(*)::int AS plays, ARRAY[${Array.from({ length: 100 }, (_, index) => `sum(get_bit(seen, ${index}))`)}]::int[] AS seen
  FROM (SELECT seen FROM plays WHERE media_container_id = $1 ORDER BY day DESC LIMIT $2) AS newest`;

/** Owns the figures of deliveries: plays for 90 days, and the sums of each day for good. */
@Injectable()
export class StatisticsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('plays', `day < ($1::timestamptz AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`);
  }

  /** Adds what was counted; one statement, unless a customer was removed meanwhile, whose rows are dropped. */
  async add(rows: readonly (PlayReport | CountedFigures)[]): Promise<void> {
    try {
      await this.send(rows);
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      for (const customerId of new Set(rows.map((row) => row.customerId))) {
        await this.send(rows.filter((row) => row.customerId === customerId)).catch((failure: unknown) => {
          if (!isForeignKeyViolation(failure)) throw failure;
        });
      }
    }
  }

  private async send(rows: readonly (PlayReport | CountedFigures)[]): Promise<void> {
    const plays = rows.flatMap((row) => (row.kind === 'play' ? [playColumns(row)] : []));
    const figures = rows.flatMap((row) => (row.kind === 'figures' ? [figureColumns(row)] : []));
    // Raw SQL: one statement merges and adds, so that processes never count a report twice.
    await this.database.query(ADD, [JSON.stringify(plays), JSON.stringify(figures)]);
  }

  /** Sums the figures of a customer by one key, in the order of the keys. */
  async find(customerId: number, { by, from, to, filters, after, limit }: StatisticsQuery): Promise<StatisticsRow[]> {
    const values = STATISTICS_KEYS.map((name) => filters[name] ?? null);
    const { rows } = await this.database.query<StatisticsRow>(FIND[by], [customerId, from, to, after ?? null, limit, ...values]);
    return rows;
  }

  /** The share of plays (0 to 1) that saw each hundredth of a container's film, of its newest plays; all 0 without plays. */
  async findRetention(mediaContainerId: number): Promise<number[]> {
    const row = await this.database.queryOne<{ plays: number; seen: (number | null)[] }>(RETENTION, [mediaContainerId, MAX_PLAYS]);
    const { plays = 0, seen = [] } = row ?? {};
    return seen.map((count) => (plays === 0 ? 0 : Number(((count ?? 0) / plays).toFixed(4))));
  }
}

const dimensionsOf = ({ customerId, mediaContainerId, embedLinkId, playerConfigurationId, host, device }: Delivered) => ({
  ...{ customer_id: customerId, media_container_id: mediaContainerId, embed_link_id: embedLinkId },
  ...{ player_configuration_id: playerConfigurationId, host, device },
});

const playColumns = ({ id, day, watchedSeconds, seen, fetchedLength, ...delivered }: PlayReport) => ({
  ...dimensionsOf(delivered),
  ...{ id, day, watched_seconds: watchedSeconds, seen: toBits(seen), fetched_length: fetchedLength },
});

const figureColumns = ({ day, rule, downloads, pictures, refused, bytes, ...delivered }: CountedFigures) => ({
  ...dimensionsOf(delivered),
  ...{ day, rule, downloads, pictures, refused, bytes },
});
