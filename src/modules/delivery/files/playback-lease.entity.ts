import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const KEY_NAME = 'playback_leases_pkey';

/** A running play: one viewer at one link, counted against the limit of a range of addresses. */
@Entity('playback_leases')
export class PlaybackLease {
  @PrimaryColumn('integer', { primaryKeyConstraintName: KEY_NAME })
  playerConfigurationId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: KEY_NAME })
  cidr: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: KEY_NAME })
  embedLinkId: number;

  /** Address of the viewer. */
  @PrimaryColumn('text', { primaryKeyConstraintName: KEY_NAME })
  viewer: string;

  @Index('playback_leases_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
