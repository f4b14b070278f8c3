import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../removal/index.js';
import type { EventMethod, EventName } from './event-types.js';

/** The outbox: an event is written in the transaction of its cause, and delivered by a job of the same transaction. */
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

  @OnErasure('everywhere')
  @Column('jsonb')
  payload: Record<string, unknown>;

  @Column('integer', { default: 0 })
  depth: number;

  /** The first event of the chain that led to this one; null: this event is the first. */
  @Column('bigint', { nullable: true })
  rootId: string | null;

  /** For the first event of a chain: the number of runs that later events of the chain have caused. */
  @Column('integer', { default: 0 })
  furtherRuns: number;

  /** The span that published the event (W3C Trace Context); null if it was not traced. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  @Index('events_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
