import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import type { MediaType } from '../media/index.js';

/** A link under which people without an account upload to a user. */
@Entity('dropsites')
@Index('dropsites_customer_id_idx', ['customerId', 'id'])
@Index('dropsites_owner_id_idx', ['ownerId', 'name'])
@Index('dropsites_ended_at_idx', ['endedAt'], { where: 'ended_at IS NOT NULL' })
export class Dropsite {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'dropsites_pkey' })
  id: number;

  /** The permanent link, which cannot be guessed. */
  @Index('dropsites_link_key', { unique: true })
  @Column('uuid')
  link: string;

  /** The OAuth client of its senders; each dropsite has its own. */
  @Column('text')
  clientId: string;

  @ForeignKey('customers', { name: 'dropsites_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  /** The creator of the uploaded media containers, who is notified of uploads. */
  @ForeignKey('users', { name: 'dropsites_owner_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  ownerId: number;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  /** The time from which no new uploads are accepted; null: it never expires. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** When a user deleted it, which ended it (`expiresAt`); the row goes 90 days later. Null: it was not deleted. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** The id of that user; not a foreign key, because the user may be removed before. */
  @Column('integer', { nullable: true })
  endedBy: number | null;

  /** argon2id in PHC format; null: no password is needed. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** Items accepted per day (UTC); null: no limit. */
  @Column('integer', { nullable: true })
  maxItemsPerDay: number | null;

  /** Bytes accepted per day (UTC): as announced or, if more arrived, as stored; null: no limit. */
  @Column('bigint', {
    nullable: true,
    transformer: { from: (bytes: string | null) => (bytes === null ? null : Number(bytes)), to: (bytes: number | null) => bytes },
  })
  maxBytesPerDay: number | null;

  /** The accepted media types; empty: all. */
  @Column('text', { array: true, default: '{}' })
  allowedTypes: MediaType[];

  /** Whether senders need no session. */
  @Column('boolean', { default: true })
  allowAnonymous: boolean;

  /** Numbers of public areas, chosen by the customer, that event:dropsiteToPublicArea contains. */
  @Column('integer', { array: true, default: '{}' })
  publicAreaIds: number[];

  /** The number of completed batches. */
  @Column('integer', { default: 0 })
  countUploads: number;

  /** The hour in which the page was last opened or something was last sent; null: not used yet. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
