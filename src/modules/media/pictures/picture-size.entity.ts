import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf } from '../../../shared/database/index.js';

/**
 * - `claimed`: a process makes it;
 * - `ready`: its object is in the storage;
 * - `removed`: it is no longer delivered, and its object is deleted after `expiresAt`.
 */
const PICTURE_SIZE_STATUSES = ['claimed', 'ready', 'removed'] as const;
export type PictureSizeStatus = (typeof PICTURE_SIZE_STATUSES)[number];

/** A picture in one of its sizes. The row exists before its object, and is deleted after it, so that no object remains unknown. */
@Entity('picture_sizes')
@Index('picture_sizes_name_key', ['mediaItemId', 'content', 'name', 'format'], { unique: true, where: `status <> 'removed'` })
@Index('picture_sizes_expires_at_idx', ['expiresAt'], { where: `status <> 'ready'` })
@Index('picture_sizes_customer_id_idx', { synchronize: false }) // INCLUDE
@Check('picture_sizes_status_check', isOneOf('status', PICTURE_SIZE_STATUSES))
export class PictureSize {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'picture_sizes_pkey' })
  id: number;

  @ForeignKey('customers', { name: 'picture_sizes_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  /** Not a foreign key: the row remains until the object is deleted. */
  @Column('integer')
  mediaItemId: number;

  /** As in PictureSource. */
  @Column('text')
  content: string;

  /** The name of the size (LadderSize). */
  @Column('text')
  name: string;

  /** The file type: avif, webp, jpeg, png or gif. */
  @Column('text')
  format: string;

  @Column('integer')
  width: number;

  @Column('integer')
  height: number;

  /** Each claim has another key, so that a process whose claim has expired overwrites nothing. */
  @Index('picture_sizes_s3_key_key', { unique: true })
  @Column('text')
  s3Key: string;

  @Column('text')
  status: PictureSizeStatus;

  /** When the claim ends, or when the object of a removed size is deleted. */
  @Column('timestamptz')
  expiresAt: Date;

  /** Bytes; 0 until it is ready. */
  @Column('integer', { default: 0 })
  fileSize: number;

  /** The entity tag and version of the object; null until it is ready. */
  @Column('text', { nullable: true })
  etag: string | null;

  @Column('text', { nullable: true })
  version: string | null;
}
