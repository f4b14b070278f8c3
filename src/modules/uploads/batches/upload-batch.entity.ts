import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf } from '../../../shared/database/index.js';
import { OnErasure } from '../../../shared/removal/index.js';

/** An item of a batch that was accepted. */
export interface BatchItem {
  /** The position in the request, counted from 0. */
  readonly index: number;
  readonly mediaContainerId: number;
  readonly mediaId: number;
  readonly key: string;
  readonly type: string;
  /** Bytes, as announced. */
  readonly size: number;
}

/** Bytes by the index of an item; items without an entry have exactly their announced size. */
export type ExcessBytes = Readonly<Record<number, number>>;

/** Why an item of a request was refused, or which file it duplicates. */
export interface ItemProblem {
  readonly index: number;
  readonly code: string;
  readonly message: string;
  /** For a duplicate: the media container that has the same file. */
  readonly mediaContainerId?: number;
  /** For a duplicate: the position of the earlier item of the same request. */
  readonly duplicateOfIndex?: number;
}

/**
 * preparing: a job prepares it; prepared: its files can be uploaded; completed: its sender called uploadComplete; reaped: the sender did not do so in
 * time. A reaped batch becomes completed if its sender calls uploadComplete later and at least one file has arrived. closed: too many bytes arrived
 * (`exceedsLimit`), and everything that was not reported before is removed. abandoned: its sender gave up; what had not arrived is removed.
 */
const BATCH_STATUSES = ['preparing', 'prepared', 'completed', 'reaped', 'closed', 'abandoned'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** Files that are uploaded together. */
@Entity('upload_batches')
@Index('upload_batches_upload_id_key', ['uploadId', 'customerId'], { unique: true })
@Index('upload_batches_open_idx', ['lastActivityAt'], { where: `status IN ('preparing', 'prepared')` })
@Index('upload_batches_untidy_idx', ['credentialsExpireAt'], { where: 'tidied_at IS NULL' })
@Check('upload_batches_status_check', isOneOf('status', BATCH_STATUSES))
export class UploadBatch {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'upload_batches_pkey' })
  id: number;

  @Index('upload_batches_customer_id_idx')
  @ForeignKey('customers', { name: 'upload_batches_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  /** The id that clients use (UUID v4), unique within the customer. */
  @Column('uuid')
  uploadId: string;

  /** The creator of its media containers. */
  @Index('upload_batches_creator_id_idx')
  @ForeignKey('users', { name: 'upload_batches_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  /** The user or dropsite sender that owns the batch; null: an anonymous sender. */
  @Index('upload_batches_user_id_idx')
  @ForeignKey('users', { name: 'upload_batches_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  userId: number | null;

  /** The client of the dropsite that it is uploaded to; null: an upload of a user. */
  @Column('text', { nullable: true })
  clientId: string | null;

  /** The dropsite session that prepared it last (the id of its token); null: no session. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  @Column('integer', { nullable: true })
  dropsiteId: number | null;

  @Column('uuid')
  jobId: string;

  @Column('text')
  status: BatchStatus;

  /** The items of the request as they were sent. */
  @OnErasure('everywhere')
  @Column('jsonb')
  payload: unknown[];

  /** The accepted items; each names its position in the request. */
  @Column('jsonb', { default: '[]' })
  items: BatchItem[];

  /** The problems of refused items, and duplicates. */
  @OnErasure('everywhere')
  @Column('jsonb', { default: '[]' })
  problems: ItemProblem[];

  /** Bytes that arrived for an item beyond its announced size and have been counted, by its index; negative: announced bytes that did not arrive. */
  @Column('jsonb', { default: {} })
  excessBytes: ExcessBytes;

  /** When the last credentials that were issued for it expire. */
  @Column('timestamptz')
  credentialsExpireAt: Date;

  /** When it was prepared, its credentials were renewed, or an item was reported. */
  @Column('timestamptz')
  lastActivityAt: Date;

  /** When its sender announced the start of the upload; the owner of the dropsite is notified once. */
  @Column('timestamptz', { nullable: true })
  announcedAt: Date | null;

  /** When everything but its accepted objects had been removed from the storage. */
  @Column('timestamptz', { nullable: true })
  tidiedAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
