import { Column, Entity, PrimaryColumn } from 'typeorm';

const KEY_NAME = 'bandwidth_budgets_pkey';

/** What the viewers of a range of addresses may download together, over all processes. */
@Entity('bandwidth_budgets')
export class BandwidthBudget {
  @PrimaryColumn('integer', { primaryKeyConstraintName: KEY_NAME })
  playerConfigurationId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: KEY_NAME })
  cidr: string;

  /** Everything up to this moment has been given away. In no index: a row that changes many times a second would leave its past in it. */
  @Column('timestamptz')
  freeAt: Date;
}
