import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Who did what to whom, and why; written by administration and support access, never changed. */
@Entity('audit_records')
@Index('audit_records_subject_idx', ['subject', 'action'])
export class AuditRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'audit_records_pkey' })
  id: string;

  @Index('audit_records_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  at: Date;

  @Column('text')
  action: string;

  @Column('text')
  actor: string;

  /** In whose name the actor acted: the user whom support staff visited; null: in its own. */
  @Column('text', { nullable: true })
  onBehalfOf: string | null;

  @Column('text')
  subject: string;

  @Column('text', { nullable: true })
  reason: string | null;
}
