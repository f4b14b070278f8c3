import { Column, Entity, PrimaryColumn } from 'typeorm';

const KEY_NAME = 'bandwidth_budgets_pkey';

/** The bandwidth that the viewers in a range of addresses share, across all processes. */
@Entity('bandwidth_budgets')
export class BandwidthBudget {
  @PrimaryColumn('integer', { primaryKeyConstraintName: KEY_NAME })
  playerConfigurationId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: KEY_NAME })
  cidr: string;

  /** All time up to this moment is reserved. Not indexed, because a row that changes many times a second would bloat the index. */
  @Column('timestamptz')
  freeAt: Date;
}
