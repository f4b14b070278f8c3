import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';

/** How long a player that has stopped keeps its place; a running player renews its lease sooner. */
const LEASE_SECONDS = 60;

/** One play: one viewer at one link, counted in a range of addresses of a configuration. */
interface Play {
  readonly playerConfigurationId: number;
  readonly cidr: string;
  readonly embedLinkId: number;
  /** The IP address. */
  readonly viewer: string;
}

const THIS_PLAY = 'player_configuration_id = $1 AND cidr = $2 AND embed_link_id = $3 AND viewer = $4';

/** Raw as part of a claim that has to be one conditional statement. A lease that has not expired is never refused, so renewing it needs no lock. */
const RENEW = `UPDATE playback_leases SET expires_at = $6 WHERE ${THIS_PLAY} AND expires_at > $5`;

/** Raw because TypeORM has no advisory locks. Requests count one after the other, so that each sees what the one before has inserted. */
const LOCK_RANGE = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Raw because counting and inserting have to be one statement. */
const START = `INSERT INTO playback_leases (player_configuration_id, cidr, embed_link_id, viewer, expires_at)
  SELECT $1, $2, $3, $4, $6 WHERE $7 > (
    SELECT count(*) FROM playback_leases WHERE player_configuration_id = $1 AND cidr = $2 AND expires_at > $5 AND NOT (${THIS_PLAY})
  )
  ON CONFLICT (player_configuration_id, cidr, embed_link_id, viewer) DO UPDATE SET expires_at = excluded.expires_at`;

/** Raw like the statements around it. */
const NEXT_END = 'SELECT min(expires_at) AS at FROM playback_leases WHERE player_configuration_id = $1 AND cidr = $2 AND expires_at > $3';

/** The plays of this moment, counted over all processes. */
@Injectable()
export class PlaybackLeasesQueries {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('playback_leases', 'expires_at < $1');
  }

  /** Starts or continues a play. Null: it is allowed; otherwise the seconds until a place may be free. */
  async startOrRenew({ playerConfigurationId, cidr, embedLinkId, viewer }: Play, limit: number): Promise<number | null> {
    const now = this.clock.now();
    const values = [playerConfigurationId, cidr, embedLinkId, viewer, now, new Date(now.getTime() + LEASE_SECONDS * 1_000)];
    if ((await this.database.query(RENEW, values)).rowCount === 1) return null;
    const held = await this.database.transaction(async () => {
      await this.database.query(LOCK_RANGE, [`playback leases ${playerConfigurationId} ${cidr}`]);
      return (await this.database.query(START, [...values, limit])).rowCount === 1;
    });
    return held ? null : await this.secondsUntilNextEnd(playerConfigurationId, cidr, now);
  }

  private async secondsUntilNextEnd(playerConfigurationId: number, cidr: string, now: Date): Promise<number> {
    const next = await this.database.queryOne<{ at: Date | null }>(NEXT_END, [playerConfigurationId, cidr, now]);
    const milliseconds = next?.at ? next.at.getTime() - now.getTime() : LEASE_SECONDS * 1_000;
    return Math.max(1, Math.ceil(milliseconds / 1_000));
  }
}
