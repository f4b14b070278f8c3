import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import type { ContainerType } from './media-container.entity.js';

/**
 * prepared: may be uploaded; successful: its object is in the storage; unsuccessful: its batch ended without it; deleted: its removal is
 * scheduled, first of its object, then of the row.
 */
const ITEM_STATUSES = ['prepared', 'successful', 'unsuccessful', 'deleted'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** A file of a media container: the original, or a rendition of it. */
@Entity('media_items')
@Index('media_items_format_id_idx', ['formatId', 'id'])
@Index('media_items_name_idx', ['customerId', 'fileName', 'fileExtension', 'fileSize'], { where: `status = 'successful'` })
@Check('media_items_status_check', isOneOf('status', ITEM_STATUSES))
export class MediaItem {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'media_items_pkey' })
  id: number;

  @Index('media_items_media_container_id_idx')
  @ForeignKey('media_containers', { name: 'media_items_media_container_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  mediaContainerId: number;

  /** The customer of the container, repeated so that duplicates are found in one index. */
  @ForeignKey('customers', { name: 'media_items_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  /** The format that it was made with; an original has the format of its type. */
  @ForeignKey('formats', { name: 'media_items_format_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  formatId: number | null;

  @Column('text')
  type: ContainerType;

  /** Without extension. */
  @Column('text')
  fileName: string;

  /** Lower case, without dot; may be empty. */
  @Column('text')
  fileExtension: string;

  /** Bytes: as announced; after the upload has succeeded, as stored. */
  @Column('bigint', { transformer: { from: Number, to: (size: number) => size } })
  fileSize: number;

  @Column('text', { default: 'prepared' })
  status: ItemStatus;

  /** Pixels; like the next three null until known. */
  @Column('integer', { nullable: true })
  width: number | null;

  @Column('integer', { nullable: true })
  height: number | null;

  /** Seconds. */
  @Column('double precision', { nullable: true })
  duration: number | null;

  @Column('text', { nullable: true })
  codec: string | null;

  @Column('text')
  bucket: string;

  @Index('media_items_s3_key_key', { unique: true })
  @Column('text')
  s3Key: string;

  /** Entity tag of the object when its success was reported. */
  @Column('text', { nullable: true })
  etag: string | null;

  /** Version of the object in a bucket that keeps versions. */
  @Column('text', { nullable: true })
  version: string | null;

  /** Whether an uploaded PDF contains scripts; null until its first delivery. */
  @Column('boolean', { nullable: true })
  scripted: boolean | null;

  /** Made in a format's test mode. */
  @Column('boolean', { default: false })
  test: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
