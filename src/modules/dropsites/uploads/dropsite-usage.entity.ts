import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The items and bytes that a dropsite accepted on a day. */
@Entity('dropsite_usage')
export class DropsiteUsage {
  @ForeignKey('dropsites', { name: 'dropsite_usage_dropsite_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'dropsite_usage_pkey' })
  dropsiteId: number;

  /** The day in UTC. */
  @Index('dropsite_usage_day_idx')
  @PrimaryColumn('date', { primaryKeyConstraintName: 'dropsite_usage_pkey' })
  day: string;

  /** Accepted items. */
  @Column('integer')
  items: number;

  /** Bytes as announced, plus those that arrived in excess; a text, because it may exceed the safe integers of JavaScript. */
  @Column('bigint')
  bytes: string;
}
