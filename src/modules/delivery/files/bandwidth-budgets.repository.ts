import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';

/** The bandwidth that the viewers in a range of addresses share. */
export interface Budget {
  readonly playerConfigurationId: number;
  readonly cidr: string;
  readonly kbitPerSecond: number;
}

/** Reserves the bandwidth that viewers share, across all processes. */
@Injectable()
export class BandwidthBudgetsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    // A row in the past is equivalent to no row; the minute allows for differing clocks.
    housekeeping.expire('bandwidth_budgets', `free_at < $1::timestamptz - interval '1 minute'`);
  }

  /** Reserves the time for these bytes; returns the seconds to wait before they may be sent. */
  async reserve({ playerConfigurationId, cidr, kbitPerSecond }: Budget, bytes: number): Promise<number> {
    // Virtual scheduling: a request to send reserves the next free period, as long as the bytes take at this speed. Unused time expires, so
    // there are no bursts. Raw SQL, because all processes reserve from the same row in one statement, by the clock of the database.
    const row = await this.database.queryOne<{ wait: number }>(
      `INSERT INTO bandwidth_budgets AS b (player_configuration_id, cidr, free_at)
        VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
        ON CONFLICT (player_configuration_id, cidr)
          DO UPDATE SET free_at = greatest(b.free_at, clock_timestamp()) + make_interval(secs => $3)
        RETURNING extract(epoch FROM free_at - clock_timestamp())::float8 - $3 AS wait`,
      [playerConfigurationId, cidr, secondsOf(bytes, kbitPerSecond)],
    );
    return Math.max(0, row?.wait ?? 0);
  }

  /** Releases a reservation whose time has not come. */
  async release({ playerConfigurationId, cidr, kbitPerSecond }: Budget, bytes: number): Promise<void> {
    // Later reservations are unchanged; the next one starts earlier by the released time. Raw SQL for the reason of `reserve`.
    await this.database.query(
      `UPDATE bandwidth_budgets SET free_at = greatest(free_at - make_interval(secs => $3), clock_timestamp())
        WHERE player_configuration_id = $1 AND cidr = $2 AND free_at > clock_timestamp()`,
      [playerConfigurationId, cidr, secondsOf(bytes, kbitPerSecond)],
    );
  }
}

const secondsOf = (bytes: number, kbitPerSecond: number): number => (bytes * 8) / (kbitPerSecond * 1_000);
