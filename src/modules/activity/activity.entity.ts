import { Check, Column, CreateDateColumn, Entity, ForeignKey, Generated, Index, PrimaryColumn } from 'typeorm';
import { OnErasure } from '../../shared/removal/index.js';
import { Sealed } from '../../shared/secrets/index.js';

/** The purpose under which SecretBoxService encrypts results. */
export const ACTIVITY_RESULT = 'activity result';

export const ACTIVITY_STATUSES = ['running', 'successful', 'failed'] as const;
export type ActivityStatus = (typeof ACTIVITY_STATUSES)[number];

/** The types of jobs. */
export const ACTIVITY_TYPES = ['upload', 'transcoding', 'formatDestruction', 'trackExtraction'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** A job that callers can query. */
@Entity('activities')
@Index('activities_sealed_until_idx', ['sealedUntil'], { where: 'sealed_result IS NOT NULL' })
@Index('activities_customer_id_idx', ['customerId', 'sequence'])
@Index('activities_running_idx', ['customerId', 'sequence'], { where: `status = 'running'` })
@Index('activities_media_container_id_idx', ['mediaContainerId', 'sequence'], { where: 'media_container_id IS NOT NULL' })
@Check('activities_progress_check', 'progress BETWEEN 0 AND 100')
@Check('activities_status_check', `status IN ('running', 'successful', 'failed')`)
export class Activity {
  /** The jobId. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'activities_pkey' })
  id: string;

  /** The order in which jobs started; a page of the list continues after it. */
  @Generated('increment')
  @Column('bigint')
  sequence: string;

  @ForeignKey('customers', { name: 'activities_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  /** The dropsite client whose senders may also read the job; null: only users of the customer may. */
  @Column('text', { nullable: true })
  clientId: string | null;

  @Column('text')
  type: ActivityType;

  @Column('text', { default: 'running' })
  status: ActivityStatus;

  /** Percent; null if the job reports no progress. */
  @Column('smallint', { nullable: true })
  progress: number | null;

  /** The media container of the job, which may have been deleted; null: none or many. */
  @Column('integer', { nullable: true })
  mediaContainerId: number | null;

  /** The format that it makes or destroys, which may have been deleted; null: none. */
  @Column('integer', { nullable: true })
  formatId: number | null;

  /** The result, without secrets. */
  @OnErasure('everywhere')
  @Column('jsonb', { nullable: true })
  result: object | null;

  /** The result with its credentials, encrypted; deleted when they expire. */
  @Sealed(ACTIVITY_RESULT)
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  sealedResult: string | null;

  @Column('timestamptz', { nullable: true })
  sealedUntil: Date | null;

  /** Why it failed: an error code, and a sentence for a person. */
  @Column('text', { nullable: true })
  code: string | null;

  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  message: string | null;

  /** The last output of a program that failed, for users of the customer. */
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  log: string | null;

  /** Null: the job has not ended. */
  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  @Index('activities_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
