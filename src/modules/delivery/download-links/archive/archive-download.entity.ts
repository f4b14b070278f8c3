import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An archive that is being sent, counted against the limit of its address. */
@Entity('archive_downloads')
export class ArchiveDownload {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'archive_downloads_pkey' })
  id: number;

  /** The IP address of the client. */
  @Index('archive_downloads_address_idx')
  @Column('text')
  address: string;

  @Index('archive_downloads_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
