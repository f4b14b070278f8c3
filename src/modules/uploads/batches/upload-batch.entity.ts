import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { BatchItem, ItemProblem } from './batch-item.js';

/**
 * preparing: a job makes it ready; prepared: files may come; completed: its sender called complete; reaped: that did not happen in time. A
 * reaped batch becomes completed when its sender calls complete later and something has arrived.
 */
export type BatchStatus = 'preparing' | 'prepared' | 'completed' | 'reaped';

/** Files that are uploaded together. */
@Entity('upload_batches')
@Index('upload_batches_upload_id_key', ['uploadId', 'customerId'], { unique: true })
@Index('upload_batches_open_idx', ['lastActivityAt'], { where: `status IN ('preparing', 'prepared')` })
@Index('upload_batches_untidy_idx', ['credentialsExpireAt'], { where: `status IN ('completed', 'reaped') AND tidied_at IS NULL` })
@Check('upload_batches_status_check', `status IN ('preparing', 'prepared', 'completed', 'reaped')`)
export class UploadBatch {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'upload_batches_pkey' })
  id: number;

  @Index('upload_batches_customer_id_idx')
  @ForeignKey('customers', { name: 'upload_batches_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  /** The name that clients know it by (UUID v4), unique within the customer. */
  @Column('uuid')
  uploadId: string;

  /** Creator of its media containers. */
  @Index('upload_batches_creator_id_idx')
  @ForeignKey('users', { name: 'upload_batches_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  /** The user or dropsite sender whose batch it is; null: an anonymous sender. */
  @Index('upload_batches_user_id_idx')
  @ForeignKey('users', { name: 'upload_batches_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  userId: number | null;

  /** The client of the dropsite that it is delivered to; null: a plain upload. */
  @Column('text', { nullable: true })
  clientId: string | null;

  /** The dropsite session that it was last prepared with (the id of its token); null: none. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  @Column('integer', { nullable: true })
  dropsiteId: number | null;

  @Column('uuid')
  jobId: string;

  @Column('text')
  status: BatchStatus;

  /** The items of the request as they were sent. */
  @Column('jsonb')
  payload: unknown[];

  /** What was made of them; the position in the request is in each. */
  @Column('jsonb', { default: '[]' })
  items: BatchItem[];

  /** Items that were refused, and duplicates. */
  @Column('jsonb', { default: '[]' })
  problems: ItemProblem[];

  /** When the last credentials that were given out for it end. */
  @Column('timestamptz')
  credentialsExpireAt: Date;

  /** When it was prepared, refreshed, or an item of it reported. */
  @Column('timestamptz')
  lastActivityAt: Date;

  /** When its sender said that the upload begins; that is told once. */
  @Column('timestamptz', { nullable: true })
  announcedAt: Date | null;

  /** When nothing of it was left in the storage but what arrived. */
  @Column('timestamptz', { nullable: true })
  tidiedAt: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
