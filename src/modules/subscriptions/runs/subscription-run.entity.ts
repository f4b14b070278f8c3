import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Sealed } from '../../../shared/secrets/index.js';

/** Purpose of SecretBox. */
export const RUN_RESULTS = 'subscription results';

/**
 * held: of a subscription that acts once, while another run of it is under way · ready: to be taken by whoever is free · running: one process
 * has it · waiting: for its next try · succeeded, failed, skipped: ended (skipped: its subscription had acted already).
 */
export type RunState = 'held' | 'ready' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** The instructions of one subscription for one event: written in the transaction of the event, it remembers how far they came. */
@Entity('subscription_runs')
@Check('subscription_runs_state_check', `state IN ('held', 'ready', 'running', 'waiting', 'succeeded', 'failed', 'skipped')`)
@Index('subscription_runs_event_id_key', ['eventId', 'subscriptionId'], { unique: true })
@Index('subscription_runs_ready_idx', ['lane', 'id'], { where: `state = 'ready'` })
@Index('subscription_runs_waiting_idx', ['nextAttemptAt'], { where: `state = 'waiting'` })
@Index('subscription_runs_held_idx', ['subscriptionId', 'id'], { where: `state = 'held'` })
@Index('subscription_runs_once_idx', ['subscriptionId'], { where: `once AND state IN ('ready', 'running', 'waiting')` })
@Index('subscription_runs_running_idx', ['lockedBy'], { where: `state = 'running'` })
@Index('subscription_runs_unfinished_idx', ['subscriptionId'], { where: 'finished_at IS NULL' })
@Index('subscription_runs_finished_at_idx', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
export class SubscriptionRun {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'subscription_runs_pkey' })
  id: string;

  @ForeignKey('events', { name: 'subscription_runs_event_id_fkey', onDelete: 'RESTRICT' })
  @Column('bigint')
  eventId: string;

  @Index('subscription_runs_subscription_id_idx')
  @ForeignKey('subscriptions', { name: 'subscription_runs_subscription_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  subscriptionId: number;

  /** Of it are made the message ids of the instructions (messageIdOf), the same over all tries. */
  @Column('uuid')
  messageId: string;

  /** Whether its subscription acts once: then no other run of it is under way beside this one. */
  @Column('boolean')
  once: boolean;

  @Column('text')
  state: RunState;

  /** What the present instruction shares its places with. */
  @Column('text')
  lane: string;

  /** The present instruction, counted from 0. */
  @Column('smallint', { default: 0 })
  instruction: number;

  /** A replay of one instruction ends there; null: with the last one. */
  @Column('smallint', { nullable: true })
  endsAfter: number | null;

  /** Tries of the present instruction, the one under way included. It fences: a process records a try only if the number is still its own. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** So many of them were made before somebody asked for the replay; the schedule begins anew with it. */
  @Column('integer', { default: 0 })
  attemptsBeforeReplay: number;

  /** What earlier api instructions answered under their names (`as`), sealed. */
  @Sealed(RUN_RESULTS)
  @Column('text', { nullable: true })
  results: string | null;

  /** The dispatcher that runs it; its advisory lock says that it lives. */
  @Column('text', { nullable: true })
  lockedBy: string | null;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
