import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../../../../shared/removal/index.js';
import type { DeliverableItem } from '../../../media/index.js';
import type { PinnedObject } from '../../files/file-stream.service.js';
import type { ArchivedFile } from './zip-layout.js';

/** The object of a file, and the media item that it belongs to. */
export type ArchivedObject = PinnedObject & Pick<DeliverableItem, 'id' | 'mediaContainerId'>;

const BYTES = { from: Number, to: (bytes: number) => bytes };

/** The layout of the archive of a download link, as long as nothing that it depends on changes. */
@Entity('archive_layouts')
@Index('archive_layouts_version_idx', ['downloadLinkId', 'version'])
export class ArchiveLayout {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'archive_layouts_pkey' })
  id: number;

  @ForeignKey('download_links', { name: 'archive_layouts_download_link_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  downloadLinkId: number;

  /** A hash of what the layout depends on. */
  @Column('text')
  version: string;

  /** When a container of the link became available or ended for the last time before the layout was made; null: none has. */
  @Column('timestamptz', { nullable: true })
  validFrom: Date | null;

  /** When the next container becomes available or ends; null: none will. */
  @Column('timestamptz', { nullable: true })
  validUntil: Date | null;

  /** A strong entity tag: archives with the same one have the same bytes. */
  @Column('text')
  etag: string;

  /** The number of files. */
  @Column('integer')
  files: number;

  /** Whether all checksums were known, so that any range can be sent. */
  @Column('boolean')
  complete: boolean;

  /** Where the directory begins, in bytes. */
  @Column('bigint', { transformer: BYTES })
  directoryAt: number;

  /** Bytes. */
  @Column('bigint', { transformer: BYTES })
  directoryBytes: number;

  @Index('archive_layouts_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}

/** Some consecutive files of an archive, so that a range takes the memory and time of those that it contains. */
@Entity('archive_layout_sections')
export class ArchiveLayoutSection {
  @ForeignKey('archive_layouts', { name: 'archive_layout_sections_layout_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'archive_layout_sections_pkey' })
  layoutId: number;

  /** The byte behind its last file; the first one of the next section. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'archive_layout_sections_pkey', transformer: BYTES })
  filesEnd: number;

  /** The byte behind its headers in the directory, from the beginning of the directory. */
  @Column('bigint', { transformer: BYTES })
  headersEnd: number;

  /** Its files, with times as text. The erasure of a person changes the names of the files themselves, so that a new layout is made; this one expires. */
  @OnErasure('never')
  @Column('jsonb')
  files: (Omit<ArchivedFile<ArchivedObject>, 'modifiedAt'> & { readonly modifiedAt: string })[];
}
