import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../removal/index.js';

/**
 * Who did what to whom, and why; written by administration and support access. Users and customers are named by id; a record is only changed by
 * the erasure of a person.
 */
@Entity('audit_records')
@Index('audit_records_subject_idx', ['subject', 'action'])
@Index('audit_records_customer_idx', ['customerId', 'id'])
@Index('audit_records_customer_actor_idx', ['customerId', 'actor', 'id'])
@Index('audit_records_customer_subject_idx', ['customerId', 'subject', 'id'])
@Index('audit_records_customer_action_idx', ['customerId', 'action', 'id'])
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

  /** The user on whose behalf support staff acted; null: the actor acted for itself. */
  @Column('text', { nullable: true })
  onBehalfOf: string | null;

  @Column('text')
  subject: string;

  /** The customer whose administrators may read the record; it is no foreign key, because records outlive customers. Null: for operators only. */
  @Column('integer', { nullable: true })
  customerId: number | null;

  /** The ids of the objects of a bulk change; null: the subject is the only one. */
  @Column('integer', { array: true, nullable: true })
  ids: number[] | null;

  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  reason: string | null;
}
