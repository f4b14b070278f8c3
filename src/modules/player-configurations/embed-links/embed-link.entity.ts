import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';
import { isOneOf } from '../../../shared/database/index.js';
import { MEDIA_TYPES, type MediaType } from '../../media/index.js';

/** 0: active; 1: deleted; 10: hidden, which works but is not listed for viewers. */
const EMBED_LINK_FLAGS = [0, 1, 10] as const;
export type EmbedLinkFlag = (typeof EMBED_LINK_FLAGS)[number];
export const LINK_DELETED = 1 as const;

/** A media container as it is shown to viewers, by the rules of a player configuration. */
@Entity('embed_links')
@Index('embed_links_customer_id_idx', ['customerId', 'id'])
@Index('embed_links_media_container_id_idx', ['mediaContainerId', 'id'])
@Index('embed_links_player_configuration_id_idx', ['playerConfigurationId', 'flag'])
@Check('embed_links_flag_check', isOneOf('flag', EMBED_LINK_FLAGS))
@Check('embed_links_type_check', isOneOf('type', MEDIA_TYPES))
@Check('embed_links_configuration_check', 'flag = 1 OR player_configuration_id IS NOT NULL')
export class EmbedLink {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'embed_links_pkey' })
  id: number;

  /** The part of the viewers' URL that identifies the link. */
  @Index('embed_links_link_key', { unique: true })
  @Column('uuid')
  link: string;

  @ForeignKey('customers', { name: 'embed_links_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @ForeignKey('media_containers', { name: 'embed_links_media_container_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  mediaContainerId: number;

  /** Null: the configuration was destroyed, and the link deleted with it. */
  @ForeignKey('player_configurations', { name: 'embed_links_player_configuration_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  playerConfigurationId: number | null;

  @Column('text')
  type: MediaType;

  @Column('text', { default: '' })
  description: string;

  @Column('integer', { default: 0 })
  flag: EmbedLinkFlag;

  /** Reason that the creator stated; `autoGenerate`: the service created the link. */
  @Column('text', { nullable: true })
  origin: string | null;

  /** When the link starts to work. */
  @Column('timestamptz', { nullable: true })
  start: Date | null;

  /** When the link stops working. */
  @Column('timestamptz', { nullable: true })
  end: Date | null;

  /** When a user deleted it; null: it was not deleted, or by version 1.0. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** The id of that user; not a foreign key, because the user may be removed before. */
  @Column('integer', { nullable: true })
  endedBy: number | null;

  @Index('embed_links_creator_id_idx')
  @ForeignKey('users', { name: 'embed_links_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  /** How often a viewer or a player was admitted; written every ten seconds. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (uses: number) => uses } })
  uses: number;

  /** The hour of the last use; null: not used yet. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
