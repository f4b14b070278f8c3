import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A page from which people download files, `/l/{link}`. */
@Entity('download_links')
@Index('download_links_customer_id_idx', ['customerId', 'id'])
@Index('download_links_ended_at_idx', ['endedAt'], { where: 'ended_at IS NOT NULL' })
export class DownloadLink {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'download_links_pkey' })
  id: number;

  @Index('download_links_link_key', { unique: true })
  @Column('uuid')
  link: string;

  @ForeignKey('customers', { name: 'download_links_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Column('integer', { array: true })
  mediaContainerIds: number[];

  @Column('integer', { array: true })
  formatIds: number[];

  /** 0: the default page. */
  @Column('integer', { default: 0 })
  templateId: number;

  @Column('text', { default: '' })
  title: string;

  @Column('timestamptz', { nullable: true })
  start: Date | null;

  @Column('timestamptz', { nullable: true })
  end: Date | null;

  /** When a user deleted it, which ended it (`end`); the row goes 90 days later. Null: it was not deleted. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** The id of that user; not a foreign key, because the user may be removed before. */
  @Column('integer', { nullable: true })
  endedBy: number | null;

  /** How often the page was opened and its files were downloaded; written every ten seconds. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (uses: number) => uses } })
  uses: number;

  /** The hour of the last use; null: not used yet. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Index('download_links_creator_id_idx')
  @ForeignKey('users', { name: 'download_links_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
