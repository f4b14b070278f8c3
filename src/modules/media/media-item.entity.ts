import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import type { FileDescription } from './file-description.js';
import type { ContainerType } from './media-container.entity.js';

/**
 * prepared: may be uploaded; successful: its object is in the storage; unsuccessful: its batch ended without it; deleted: the removal of its
 * object, and then of the row, is scheduled.
 */
const ITEM_STATUSES = ['prepared', 'successful', 'unsuccessful', 'deleted'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** The roles of tracks: text tracks, and the poster, which is shown before a film starts. */
const TEXT_TRACK_ROLES = ['subtitles', 'captions', 'descriptions', 'chapters'] as const;
export type TextTrackRole = (typeof TEXT_TRACK_ROLES)[number];
const TRACK_ROLES = [...TEXT_TRACK_ROLES, 'poster'] as const;
export type TrackRole = (typeof TRACK_ROLES)[number];

export const isTextRole = (role: string | null): role is TextTrackRole => TEXT_TRACK_ROLES.some((name) => name === role);

/** Extensions of text tracks. */
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set(['vtt', 'srt']);

/** Whether a file is a text track; in containers of earlier versions of the service they have no role. */
export const isTextFile = ({ role, fileExtension }: Pick<MediaItem, 'role' | 'fileExtension'>): boolean =>
  isTextRole(role) || (role === null && TEXT_EXTENSIONS.has(fileExtension.toLowerCase()));

/** The properties of a streaming rendition in a playlist (RFC 8216 section 4.3.4.2). */
export interface StreamingFacts {
  /** RFC 6381, separated by commas: `avc1.64001f,mp4a.40.2`. */
  readonly codecs: string;
  /** Bits per second of the largest segment. */
  readonly bandwidth: number;
  /** Bits per second of the whole file. */
  readonly averageBandwidth: number;
  /** Frames per second; null: it has no picture. */
  readonly frameRate: number | null;
  /** Number of segments. */
  readonly segments: number;
  /** Which sound of a film it is; absent: it is not one of several. `description`: audio description. */
  readonly sound?: 'main' | 'commentary' | 'description';
  /** Whether it is a picture whose sounds are renditions of their own; absent: no. */
  readonly isSoundApart?: true;
}

/** The arrangement of a film's pictures in the tiles of a storyboard, row by row. */
export interface StoryboardFacts {
  /** Seconds of the film that each picture represents. */
  readonly intervalSeconds: number;
  readonly pictures: number;
  readonly columns: number;
  readonly rows: number;
}

/** PostgreSQL returns bigint as text. */
const toNumber = (value: string | null): number | null => (value === null ? null : Number(value));

/** A file of a media container: the original, a rendition of it, or a track. */
@Entity('media_items')
@Index('media_items_format_id_idx', ['formatId', 'id'])
@Index('media_items_name_idx', ['customerId', 'fileName', 'fileExtension', 'fileSize'], { where: `status = 'successful'` })
@Index('media_items_content_idx', ['customerId', 'crc32', 'fileSize', 'mediaContainerId'], {
  where: `status = 'successful' AND role IS NULL AND crc32 IS NOT NULL AND s3_key NOT LIKE 'renditions/%'`,
})
@Index('media_items_undescribed_idx', ['fileExtension', 'id'], {
  where: `file_description IS NULL AND status = 'successful' AND (s3_key NOT LIKE 'renditions/%' OR file_extension = 'pdf')`,
})
@Check('media_items_status_check', isOneOf('status', ITEM_STATUSES))
@Check('media_items_role_check', isOneOf('role', TRACK_ROLES))
export class MediaItem {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'media_items_pkey' })
  id: number;

  @Index('media_items_media_container_id_idx')
  @ForeignKey('media_containers', { name: 'media_items_media_container_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  mediaContainerId: number;

  /** The customer of the container, repeated here so that one index finds duplicates. */
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

  /** Pixels; null until known, like the next three. */
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

  /** CRC-32 of the content, which archives need; null until the storage has reported it or a job has computed it. */
  @Column('bigint', { nullable: true, transformer: { from: toNumber, to: (crc32: number | null) => crc32 } })
  crc32: number | null;

  /** Whether a PDF contains scripts; null until it was inspected. */
  @Column('boolean', { nullable: true })
  scripted: boolean | null;

  /** Null until the file was inspected; renditions are not, except PDFs. */
  @Column('jsonb', { nullable: true })
  fileDescription: FileDescription | null;

  /** The key of the object with a text track as WebVTT; null: not a text track, or not inspected. */
  @Column('text', { nullable: true })
  webVttKey: string | null;

  /** Made in a format's test mode. */
  @Column('boolean', { default: false })
  test: boolean;

  /** Null: an original or a rendition. */
  @Column('text', { nullable: true })
  role: TrackRole | null;

  /** Language of a text track or of one of several sounds of a film (BCP 47); null for other files, or unknown. */
  @Column('text', { nullable: true })
  language: string | null;

  /** The name of a track or sound for viewers. */
  @Column('text', { nullable: true })
  label: string | null;

  /** Whether players choose this track before others of its role, or this sound before others. */
  @Column('boolean', { default: false })
  isDefault: boolean;

  /** Null: not a streaming rendition. */
  @Column('jsonb', { nullable: true })
  streaming: StreamingFacts | null;

  /** Null: not a storyboard. */
  @Column('jsonb', { nullable: true })
  storyboard: StoryboardFacts | null;

  /** The version of this row, which every change increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  revision: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}

/** The positions of a streaming rendition's segments in its file: they follow the header, which starts at byte 0, without gaps. */
@Entity('streaming_indexes')
export class StreamingIndex {
  @ForeignKey('media_items', { name: 'streaming_indexes_media_item_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'streaming_indexes_pkey' })
  mediaItemId: number;

  /** Length of the initialization segment in bytes. */
  @Column('integer')
  headerBytes: number;

  /** Length of each segment in bytes. */
  @Column('integer', { array: true })
  segmentBytes: number[];

  /** Duration of each segment in milliseconds. */
  @Column('integer', { array: true })
  segmentMs: number[];
}
