import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

export const DROPSITE_TYPES = ['video', 'audio', 'image', 'document'] as const;
export type DropsiteType = (typeof DROPSITE_TYPES)[number];

/** A link under which people without an account upload to a user. */
@Entity('dropsites')
@Index('dropsites_customer_id_idx', ['customerId', 'id'])
@Index('dropsites_owner_id_idx', ['ownerId', 'name'])
export class Dropsite {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'dropsites_pkey' })
  id: number;

  /** What is handed to people; permanent, and not to be guessed. */
  @Index('dropsites_link_key', { unique: true })
  @Column('uuid')
  link: string;

  /** The OAuth client of its senders, its own and constant. */
  @Column('text')
  clientId: string;

  @ForeignKey('customers', { name: 'dropsites_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  /** Creator of what arrives, and who is told of it. */
  @ForeignKey('users', { name: 'dropsites_owner_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  ownerId: number;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  /** From then on nothing new is accepted; null: never. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** argon2id in PHC format; null: none is asked for. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** Items that are accepted in a day in UTC; null: no limit. */
  @Column('integer', { nullable: true })
  maxItemsPerDay: number | null;

  /** Bytes of a day in UTC, as announced or, where that is more, as they arrived; null: no limit. */
  @Column('bigint', {
    nullable: true,
    transformer: { from: (bytes: string | null) => (bytes === null ? null : Number(bytes)), to: (bytes: number | null) => bytes },
  })
  maxBytesPerDay: number | null;

  /** Empty: all. */
  @Column('text', { array: true, default: '{}' })
  allowedTypes: DropsiteType[];

  /** Whether a session is not needed. */
  @Column('boolean', { default: true })
  allowAnonymous: boolean;

  /** Public areas, in numbers of the operator's choosing, to which what arrives is to be handed on. */
  @Column('integer', { array: true, default: '{}' })
  publicAreaIds: number[];

  /** Batches that were completed. */
  @Column('integer', { default: 0 })
  countUploads: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
