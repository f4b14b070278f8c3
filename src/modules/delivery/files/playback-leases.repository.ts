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

interface LimitedPlay extends Play {
  /** The limit of concurrent plays. */
  readonly limit: number;
}

const keyOf = ({ playerConfigurationId, cidr, embedLinkId, viewer }: Play): string =>
  `${playerConfigurationId} ${cidr} ${embedLinkId} ${viewer}`;

const endOf = (now: Date): Date => new Date(now.getTime() + LEASE_SECONDS * 1_000);

/** Counts the current plays across all processes. */
@Injectable()
export class PlaybackLeasesRepository {
  /**
   * Renews the lease of a play and returns whether it was renewed. Requests for segments renew it every few seconds, so concurrent renewals share a
   * statement.
   */
  private readonly renew: (play: LimitedPlay) => Promise<boolean | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('playback_leases', 'expires_at < $1');
    this.renew = database.batched<LimitedPlay, boolean>(keyOf, async (plays) => await this.renewAll(plays));
  }

  /** Starts or continues a play. Null: it is allowed; otherwise the number of seconds until a place may be free. */
  async startOrRenew(play: Play, limit: number): Promise<number | null> {
    if (await this.renew({ ...play, limit })) return null;
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
    // Raw SQL, because TypeORM has no window functions. `isRenewed`: one of the viewer's plays is among those that `renewAll` renews.
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

  private async renewAll(plays: readonly LimitedPlay[]): Promise<Map<string, boolean>> {
    const now = this.clock.now();
    // Raw SQL, as part of a claim that has to be one conditional statement, for all concurrent plays. As many unexpired leases are renewed
    // as the limit allows, the same ones every time: all of them, unless the limit has been lowered. Therefore renewing needs no lock.
    const { rows } = await this.database.query<Play & Record<string, unknown>>(
      `UPDATE playback_leases l SET expires_at = $7
        FROM unnest($1::int[], $2::text[], $3::int[], $4::text[], $5::int[]) AS play (configuration, cidr, link, viewer, most)
        WHERE l.player_configuration_id = play.configuration AND l.cidr = play.cidr AND l.embed_link_id = play.link AND l.viewer = play.viewer
          AND l.expires_at > $6 AND play.most > (
            SELECT count(*) FROM playback_leases o WHERE o.player_configuration_id = l.player_configuration_id AND o.cidr = l.cidr
              AND o.expires_at > $6 AND (o.embed_link_id, o.viewer) < (l.embed_link_id, l.viewer)
          )
        RETURNING play.configuration AS "playerConfigurationId", play.cidr, play.link AS "embedLinkId", play.viewer`,
      [
        plays.map(({ playerConfigurationId }) => playerConfigurationId),
        plays.map(({ cidr }) => cidr),
        plays.map(({ embedLinkId }) => embedLinkId),
        plays.map(({ viewer }) => viewer),
        plays.map(({ limit }) => limit),
        now,
        endOf(now),
      ],
    );
    return new Map(rows.map((play) => [keyOf(play), true]));
  }

  private async secondsUntilNextEnd(playerConfigurationId: number, cidr: string, now: Date): Promise<number> {
    const where = { playerConfigurationId, cidr, expiresAt: MoreThan(now) };
    const next = await this.database.repository(PlaybackLease).findOne({ where, order: { expiresAt: 'ASC' } });
    const milliseconds = next ? next.expiresAt.getTime() - now.getTime() : LEASE_SECONDS * 1_000;
    return Math.max(1, Math.ceil(milliseconds / 1_000));
  }
}
