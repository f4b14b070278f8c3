import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import { OnErasure } from '../../shared/removal/index.js';

/** The specification's media types (Format, settings.mediaTypes). Everything that accepts, stores or lists media types uses this list. */
export const MEDIA_TYPES = ['video', 'audio', 'image', 'document'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** The media types, and watermark for assets that are overlaid on other media. */
export const CONTAINER_TYPES = [...MEDIA_TYPES, 'watermark'] as const;
export type ContainerType = (typeof CONTAINER_TYPES)[number];

/** 0: active, 1: in the trash, 33: a watermark asset. */
export const CONTAINER_FLAGS = [0, 1, 33] as const;
export type ContainerFlag = (typeof CONTAINER_FLAGS)[number];
export const IN_TRASH = 1 as const;

/** The longest name, title and tag of a container, in characters; more than file systems allow for the name of a file. */
export const MAX_NAME_CHARACTERS = 1_024;
/** The longest description and value of metadata, in characters. */
export const MAX_TEXT_CHARACTERS = 10_000;

/** An entry of descriptive metadata. */
export interface MetadataEntry {
  readonly title: string;
  readonly content: string;
  readonly language?: string;
}

/** Terms under which a container may be used (contract section 7). */
export interface License {
  readonly name?: string | null;
  readonly usageTerms?: string | null;
  /** ISO 8601; the period in which it may be used. */
  readonly start?: string | null;
  readonly end?: string | null;
  /** Permitted uses, in the words of the licensor. */
  readonly types?: readonly string[] | null;
}

/** A media container: an original, its renditions and its tracks. */
@Entity('media_containers')
@Index('media_containers_customer_id_idx', ['customerId', 'id'])
@Index('media_containers_checksum_idx', ['customerId', 'checksum'], { where: 'checksum IS NOT NULL' })
@Check('media_containers_type_check', isOneOf('type', CONTAINER_TYPES))
@Check('media_containers_flag_check', isOneOf('flag', CONTAINER_FLAGS))
export class MediaContainer {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'media_containers_pkey' })
  id: number;

  @ForeignKey('customers', { name: 'media_containers_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Index('media_containers_creator_id_idx')
  @ForeignKey('users', { name: 'media_containers_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  @Column('text')
  type: ContainerType;

  @Column('integer', { default: 0 })
  flag: ContainerFlag;

  /** Whether a job is permanently removing it; it already counts as deleted. */
  @Column('boolean', { name: 'doomed', default: false })
  removalScheduled: boolean;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  @OnErasure('own-rows')
  @Column('text', { array: true, default: '{}' })
  tags: string[];

  @Column('jsonb', { nullable: true })
  license: License | null;

  /** The id of the dropsite that it was uploaded to; null: uploaded by a user. */
  @Column('integer', { nullable: true })
  origin: number | null;

  /** The user or dropsite sender that uploaded it to the dropsite; null: uploaded by a user, or by an anonymous sender. */
  @Index('media_containers_sender_id_idx', { where: 'sender_id IS NOT NULL' })
  @ForeignKey('users', { name: 'media_containers_sender_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { nullable: true })
  senderId: number | null;

  /** The checksum that the sender stated; compared to find duplicates. */
  @Column('text', { nullable: true })
  checksum: string | null;

  @Column('jsonb', { default: '[]' })
  metadata: MetadataEntry[];

  /** The output of ffprobe for the original (format `technical-metadata`); null until it has run. */
  @Column('jsonb', { nullable: true })
  technicalMetadata: object | null;

  /** When delivery starts; null: no limit. */
  @Column('timestamptz', { nullable: true })
  start: Date | null;

  /** When delivery ends; null: no limit. */
  @Column('timestamptz', { nullable: true })
  end: Date | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
