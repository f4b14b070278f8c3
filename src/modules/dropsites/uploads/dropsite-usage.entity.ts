import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** What was accepted at a dropsite on a day. */
@Entity('dropsite_usage')
export class DropsiteUsage {
  @ForeignKey('dropsites', { name: 'dropsite_usage_dropsite_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'dropsite_usage_pkey' })
  dropsiteId: number;

  /** In UTC. */
  @Index('dropsite_usage_day_idx')
  @PrimaryColumn('date', { primaryKeyConstraintName: 'dropsite_usage_pkey' })
  day: string;

  /** That were accepted. */
  @Column('integer')
  items: number;

  /** As announced, and what arrived beyond that. */
  @Column('bigint')
  bytes: string;
}
