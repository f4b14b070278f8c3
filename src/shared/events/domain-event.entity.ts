import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { PersonalText } from '../removal/index.js';
import type { EventMethod, EventName } from './event-types.js';

/** The outbox: an event is written in the transaction of what caused it, and handed out by a job of the same transaction. */
@Entity('events')
@Check('events_method_check', `method IN ('create', 'update', 'destroy')`)
export class DomainEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'events_pkey' })
  id: string;

  @Column('text')
  name: EventName;

  @Index('events_customer_id_idx')
  @ForeignKey('customers', { name: 'events_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  @Column('text')
  method: EventMethod;

  @PersonalText()
  @Column('jsonb')
  payload: Record<string, unknown>;

  @Column('integer', { default: 0 })
  depth: number;

  /** The event with which the chain began that led to this one; null: with this one. */
  @Column('bigint', { nullable: true })
  rootId: string | null;

  /** Of an event with which a chain began: the runs that its further events caused. */
  @Column('integer', { default: 0 })
  furtherRuns: number;

  /** The step of a trace that published it (W3C Trace Context); null: nothing was traced. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  @Index('events_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
