import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import { OnErasure } from '../../shared/removal/index.js';
import { DEVICES, type Device } from './device.js';

/** TypeORM changes the options that it is given, so each column has a copy. */
const KEY = { primaryKeyConstraintName: 'daily_figures_pkey' } as const;
const LARGE = { default: 0, transformer: { from: Number, to: (count: number) => count } } as const;

/**
 * What was delivered of a media container on a day, by everything that statistics distinguish. The rows of deleted media, links and configurations stay,
 * so there are no foreign keys to them.
 */
@Entity('daily_figures')
@Check('daily_figures_device_check', isOneOf('device', DEVICES))
export class DailyFigures {
  @ForeignKey('customers', { name: 'daily_figures_customer_id_fkey', onDelete: 'RESTRICT' })
  @PrimaryColumn('integer', { ...KEY })
  customerId: number;

  /** The day in UTC. */
  @PrimaryColumn('date', { ...KEY })
  day: string;

  @PrimaryColumn('integer', { ...KEY })
  mediaContainerId: number;

  /** 0: a download link delivered it. */
  @PrimaryColumn('integer', { ...KEY })
  embedLinkId: number;

  /** 0: a download link delivered it. */
  @PrimaryColumn('integer', { ...KEY })
  playerConfigurationId: number;

  /** The host of the page around it; empty: there was no page, or it did not say. */
  @OnErasure('never')
  @PrimaryColumn('text', { ...KEY })
  host: string;

  @OnErasure('never')
  @PrimaryColumn('text', { ...KEY })
  device: Device;

  /** The delivery rule that refused it; empty: it was not refused. */
  @OnErasure('never')
  @PrimaryColumn('text', { ...KEY })
  rule: string;

  /** Plays that began. */
  @Column('integer', { default: 0 })
  plays: number;

  /** Seconds that these plays watched. */
  @Column('bigint', { ...LARGE })
  watchedSeconds: number;

  /** How many of these plays were finished. */
  @Column('integer', { default: 0 })
  finished: number;

  @Column('integer', { default: 0 })
  downloads: number;

  @Column('integer', { default: 0 })
  pictures: number;

  @Column('integer', { default: 0 })
  refused: number;

  /** Bytes that were requested. */
  @Column('bigint', { ...LARGE })
  bytes: number;
}
