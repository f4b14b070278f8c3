import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../../../shared/removal/index.js';
import { Sealed } from '../../../shared/secrets/index.js';

/** The purpose for which SecretBoxService derives the key. */
export const RUN_RESULTS = 'subscription results';

/**
 * held: its subscription acts once and has another run in progress · ready: may be claimed · running: claimed by a worker · waiting: for its next
 * attempt · succeeded, failed, skipped: ended (skipped: its subscription had acted before).
 */
export type RunState = 'held' | 'ready' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** The instructions of one subscription for one event, and their progress; created in the transaction of the event. */
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

  /** The message ids of the instructions are derived from it (messageIdOf), so they are the same in all attempts. */
  @Column('uuid')
  messageId: string;

  /** Whether its subscription acts once, so that no other run of it may be in progress at the same time. */
  @Column('boolean')
  once: boolean;

  @Column('text')
  state: RunState;

  /** The lane of the current instruction (see laneOf). */
  @Column('text')
  lane: string;

  /** The current instruction, counted from 0. */
  @Column('smallint', { default: 0 })
  instruction: number;

  /** The instruction with which a replay ends; null: the last one. */
  @Column('smallint', { nullable: true })
  endsAfter: number | null;

  /**
   * The number of attempts at the current instruction, including the one in progress. A worker records an attempt only if its number is still this
   * one.
   */
  @Column('integer', { default: 0 })
  attempts: number;

  /** The number of attempts before the replay, at which the schedule starts again. */
  @Column('integer', { default: 0 })
  attemptsBeforeReplay: number;

  /** The results of earlier api instructions by their names (`as`), sealed. */
  @Sealed(RUN_RESULTS)
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  results: string | null;

  /** The worker that has claimed it; its advisory lock shows that it is alive. */
  @Column('text', { nullable: true })
  lockedBy: string | null;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
