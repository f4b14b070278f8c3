import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export type ActivityStatus = 'running' | 'successful' | 'failed';

/** A job that callers can ask about. */
@Entity('activities')
@Index('activities_sealed_until_idx', ['sealedUntil'], { where: 'sealed_result IS NOT NULL' })
@Check('activities_status_check', `status IN ('running', 'successful', 'failed')`)
export class Activity {
  /** The jobId. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'activities_pkey' })
  id: string;

  @Index('activities_customer_id_idx')
  @ForeignKey('customers', { name: 'activities_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  /** The dropsite client whose senders may ask too; null: users of the customer only. */
  @Column('text', { nullable: true })
  clientId: string | null;

  @Column('text', { default: 'running' })
  status: ActivityStatus;

  /** What came of it, without secrets. */
  @Column('jsonb', { nullable: true })
  result: object | null;

  /** The result with its credentials, encrypted; dropped when they expire. */
  @Column('text', { nullable: true })
  sealedResult: string | null;

  @Column('timestamptz', { nullable: true })
  sealedUntil: Date | null;

  /** Why it failed: an error code, and a sentence for a person. */
  @Column('text', { nullable: true })
  code: string | null;

  @Column('text', { nullable: true })
  message: string | null;

  @Index('activities_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
