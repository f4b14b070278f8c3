import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/**
 * The values by which finds filter and sort a media container. Triggers of `media_containers` and `media_items` write these rows in the
 * transaction of each change (search-entry.sql); the service only reads them. A container that is being permanently removed has none.
 */
@Entity('media_search_entries')
@Index('media_search_entries_terms_idx', { synchronize: false }) // GIN
@Index('media_search_entries_created_at_idx', { synchronize: false }) // INCLUDE
@Index('media_search_entries_name_key_idx', ['customerId', 'nameKey', 'mediaContainerId'])
@Index('media_search_entries_file_size_idx', { synchronize: false }) // INCLUDE
@Index('media_search_entries_shuffle_idx', ['customerId', 'shuffle'])
@Index('media_search_entries_renamed_by_idx', ['customerId', 'renamedBy'], { where: 'renamed_by IS NOT NULL' })
@Index('media_search_entries_resized_by_idx', ['customerId', 'resizedBy'], { where: 'resized_by IS NOT NULL' })
export class MediaSearchEntry {
  @ForeignKey('media_containers', { name: 'media_search_entries_media_container_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'media_search_entries_pkey' })
  mediaContainerId: number;

  @Column('integer')
  customerId: number;

  /** Creation time in whole milliseconds, as clients see it. */
  @Column('timestamptz')
  createdAt: Date;

  /** The beginning of the name without case and accents, in UTF-8; compared byte by byte. */
  @Column('bytea')
  nameKey: Buffer;

  /** Bytes of the original; -1: it has none. */
  @Column('bigint')
  fileSize: string;

  @Column('text')
  type: string;

  /** File extension of the original; null: it has none. */
  @Column('text', { nullable: true })
  extension: string | null;

  @Column('text', { array: true })
  tags: string[];

  /** Words, tags and all other values that a filter may require, each prefixed with the customer. */
  @Column('tsvector')
  terms: string;

  /** This and the columns below are for processes of earlier versions: 1.0 reads all but `creatorId`, 1.1.0 `renamedBy` and `resizedBy`. Version 1.2 drops
   * the five and their indexes. */
  @Column('bigint')
  groupKey: string;

  @Column('integer', { default: () => 'floor((random() * (2147483647)))' })
  shuffle: number;

  @Column('integer')
  creatorId: number;

  /** The transaction (xid8) that last changed the name; null: none has. */
  @Column('bigint', { nullable: true })
  renamedBy: string | null;

  /** The same for the size. */
  @Column('bigint', { nullable: true })
  resizedBy: string | null;
}
