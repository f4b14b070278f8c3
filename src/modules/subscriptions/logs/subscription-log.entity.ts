import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../../../shared/removal/index.js';
import { Sealed } from '../../../shared/secrets/index.js';
import type { InstructionType } from '../instructions/instruction.js';

/** The purpose for which SecretBoxService derives the key. */
export const LOGGED_PAYLOAD = 'subscription log';

/** One attempt at one instruction. */
@Entity('subscription_logs')
@Check('subscription_logs_type_check', `type IN ('api', 'email', 'https')`)
@Index('subscription_logs_subscription_id_idx', ['subscriptionId', 'id'])
@Index('subscription_logs_refused_idx', ['subscriptionId', 'createdAt'], { where: 'run_id = 0' })
export class SubscriptionLog {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'subscription_logs_pkey' })
  id: string;

  @ForeignKey('subscriptions', { name: 'subscription_logs_subscription_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  subscriptionId: number;

  /** The run to which it belongs, for a replay; 0: no run was created for the event. */
  @Column('bigint')
  runId: string;

  /** The index of the instruction, counted from 0. */
  @Column('smallint')
  instruction: number;

  /** The same in all attempts at one instruction for one event. */
  @Column('text')
  messageId: string;

  /** Counted from 1. */
  @Column('integer')
  attempt: number;

  @Column('text')
  type: InstructionType;

  /** The sent payload, as JSON without secrets, sealed; null: the event itself. */
  @Sealed(LOGGED_PAYLOAD)
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  payload: string | null;

  /** 0: no connection; 417: an expectation failed. */
  @Column('integer')
  statusCode: number;

  /** Why it failed, for a person; null: it succeeded. */
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  reason: string | null;

  @Column('integer')
  durationMs: number;

  @Index('subscription_logs_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
