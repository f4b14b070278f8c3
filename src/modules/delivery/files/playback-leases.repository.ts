import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { PlaybackLease } from './playback-lease.entity.js';

/** The seconds for which a stopped player keeps its place; a running player renews its lease sooner. */
const LEASE_SECONDS = 60;

/** One play: one viewer at one link, counted in a range of addresses of a configuration. */
interface Play {
  readonly playerConfigurationId: number;
  readonly cidr: string;
  readonly embedLinkId: number;
  /** The IP address. */
  readonly viewer: string;
}

const endOf = (now: Date): Date => new Date(now.getTime() + LEASE_SECONDS * 1_000);

/** Counts the current plays across all processes. */
@Injectable()
export class PlaybackLeasesRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('playback_leases', 'expires_at < $1');
  }

  /** Starts or continues a play. Null: it is allowed; otherwise the number of seconds until a place may be free. */
  async startOrRenew(play: Play, limit: number): Promise<number | null> {
    if (await this.renew(play, limit)) return null;
    const { playerConfigurationId, cidr, embedLinkId, viewer } = play;
    const now = this.clock.now();
    const values = [playerConfigurationId, cidr, embedLinkId, viewer, now, endOf(now)];
    const held = await this.database.transaction(async () => {
      await this.database.lock(`playback leases ${playerConfigurationId} ${cidr}`); // requests count one after another
      // Raw SQL, because counting and inserting have to be one statement.
      const { rowCount } = await this.database.query(
        `INSERT INTO playback_leases (player_configuration_id, cidr, embed_link_id, viewer, expires_at)
          SELECT $1, $2, $3, $4, $6 WHERE $7 > (
            SELECT count(*) FROM playback_leases 
              WHERE player_configuration_id = $1 AND cidr = $2 AND expires_at > $5 AND (embed_link_id, viewer) <> ($3, $4)
          )
          ON CONFLICT (player_configuration_id, cidr, embed_link_id, viewer) DO UPDATE SET expires_at = excluded.expires_at`,
        [...values, limit],
      );
      return rowCount === 1;
    });
    return held ? null : await this.secondsUntilNextEnd(playerConfigurationId, cidr, now);
  }

  /** The number of plays of a range, and whether the viewer may start or continue a play. */
  async count(
    { playerConfigurationId, cidr, viewer }: Omit<Play, 'embedLinkId'>,
    limit: number,
  ): Promise<{ readonly plays: number; readonly isAllowed: boolean }> {
    const values = [playerConfigurationId, cidr, this.clock.now(), viewer, limit];
    // Raw SQL, because TypeORM has no window functions. `isRenewed`: one of the viewer's plays is among those that `renew` renews.
    const row = await this.database.queryOne<{ plays: number; isRenewed: boolean }>(
      `SELECT count(*)::int AS plays, coalesce(bool_or(viewer = $4 AND place <= $5), false) AS "isRenewed" FROM (
          SELECT viewer, row_number() OVER (ORDER BY embed_link_id, viewer) AS place FROM playback_leases
          WHERE player_configuration_id = $1 AND cidr = $2 AND expires_at > $3
        ) AS play`,
      values,
    );
    const { plays = 0, isRenewed = false } = row ?? {};
    return { plays, isAllowed: isRenewed || plays < limit };
  }

  /** Renews the lease of a play; false: there is no unexpired one, or the limit has been lowered below its place. */
  private async renew({ playerConfigurationId, cidr, embedLinkId, viewer }: Play, limit: number): Promise<boolean> {
    const now = this.clock.now();
    // Raw SQL, because checking and renewing have to be one statement. As many unexpired leases are renewed as the limit allows, the same ones
    // every time: all of them, unless the limit has been lowered. Therefore renewing needs no lock.
    const { rowCount } = await this.database.query(
      `UPDATE playback_leases SET expires_at = $6
        WHERE player_configuration_id = $1 AND cidr = $2 AND embed_link_id = $3 AND viewer = $4 AND expires_at > $5 AND $7 > (
          SELECT count(*) FROM playback_leases
          WHERE player_configuration_id = $1 AND cidr = $2 AND expires_at > $5 AND (embed_link_id, viewer) < ($3, $4)
        )`,
      [playerConfigurationId, cidr, embedLinkId, viewer, now, endOf(now), limit],
    );
    return rowCount === 1;
  }

  private async secondsUntilNextEnd(playerConfigurationId: number, cidr: string, now: Date): Promise<number> {
    const where = { playerConfigurationId, cidr, expiresAt: MoreThan(now) };
    const next = await this.database.repository(PlaybackLease).findOne({ where, order: { expiresAt: 'ASC' } });
    const milliseconds = next ? next.expiresAt.getTime() - now.getTime() : LEASE_SECONDS * 1_000;
    return Math.max(1, Math.ceil(milliseconds / 1_000));
  }
}
