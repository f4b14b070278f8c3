import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import { OnErasure } from '../../shared/removal/index.js';
import { DEVICES, type Device } from './device.js';

/**
 * A film or sound as one viewer played it. Nothing tells who that was. It has no foreign keys to media and links, because their figures stay when they
 * are deleted.
 */
@Entity('plays')
@Index('plays_media_container_id_idx', ['mediaContainerId', 'day'])
@Check('plays_device_check', isOneOf('device', DEVICES))
export class Play {
  /** Random, or made from the session id that a player sends (CTA-5004). */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'plays_pkey' })
  id: string;

  @Index('plays_customer_id_idx')
  @ForeignKey('customers', { name: 'plays_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Column('integer')
  mediaContainerId: number;

  @Column('integer')
  embedLinkId: number;

  @Column('integer')
  playerConfigurationId: number;

  /** The day in UTC on which it began. */
  @Index('plays_day_idx')
  @Column('date')
  day: string;

  /** The host of the page around the player; empty: there was no page, or it did not say. */
  @OnErasure('never')
  @Column('text')
  host: string;

  @OnErasure('never')
  @Column('text')
  device: Device;

  /** The hundredths of the film whose middle was played, the first one first. */
  @Column({ type: 'bit', length: 100 })
  seen: string;

  /** Seconds during which it played. */
  @Column('integer')
  watchedSeconds: number;

  /** Seconds of the film, if the player only fetched it, so that `watched_seconds` follow from `seen`; null: the player reported its play. */
  @Column('double precision', { nullable: true })
  fetchedLength: number | null;

  /** Whether one of the last five hundredths was seen: few people watch the credits to the last second. */
  @Column('boolean')
  finished: boolean;

  /** The seconds before the last report, so that the sums of the day grow by the difference. */
  @Column('integer')
  previousSeconds: number;

  /** Whether it was finished before the last report. */
  @Column('boolean')
  wasFinished: boolean;
}
