import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { QuotaName } from './quota-limits.js';

const toNumber = { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number | null) => value };

/** What differs from the defaults for one quota of a customer, and what it has used of a quota that is counted by days. */
@Entity('quotas')
export class Quota {
  @ForeignKey('customers', { name: 'quotas_customer_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'quotas_pkey' })
  customerId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'quotas_pkey' })
  name: QuotaName;

  /** As the operator declared it; null: the default. */
  @Column('bigint', { name: 'max', nullable: true, transformer: toNumber })
  limit: number | null;

  /** The day in UTC of which `used` counts; null: nothing was counted yet. */
  @Column('date', { nullable: true })
  day: string | null;

  /** What was used on that day. Quotas of resources are counted from the resources themselves. */
  @Column('bigint', { default: 0, transformer: toNumber })
  used: number;
}
