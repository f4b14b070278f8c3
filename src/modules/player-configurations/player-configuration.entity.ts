import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import { isOneOf } from '../../shared/database/index.js';
import { OnErasure } from '../../shared/removal/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import type { PlayerSettings } from './settings/player-settings.dto.js';
import type { SecuritySettings } from './settings/security-settings.dto.js';

/** How media is delivered through embed links. */
@Entity('player_configurations')
@Index('player_configurations_customer_id_idx', ['customerId', 'id'])
@Index('player_configurations_auto_generate_idx', ['customerId', 'type'], { where: 'auto_generate' })
@Index('player_configurations_default_key', ['customerId', 'type'], { unique: true, where: 'is_default' })
@Check('player_configurations_type_check', isOneOf('type', MEDIA_TYPES))
export class PlayerConfiguration {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'player_configurations_pkey' })
  id: number;

  @ForeignKey('customers', { name: 'player_configurations_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Column('text')
  name: string;

  @Column('text')
  type: MediaType;

  /** 1: default player, 2: minimal; 0 for images and documents: plain. */
  @Column('integer')
  templateId: number;

  /** Pixels; null: responsive. */
  @Column('integer', { nullable: true })
  width: number | null;

  @Column('integer', { nullable: true })
  height: number | null;

  /** The deprecated member `configuration`. */
  @Column('jsonb', { nullable: true })
  configuration: { readonly mediaTypes?: readonly MediaType[] } | null;

  @OnErasure('never')
  @Column('jsonb', { nullable: true })
  securitySettings: SecuritySettings | null;

  @OnErasure('never')
  @Column('jsonb', { nullable: true })
  settings: PlayerSettings | null;

  /** Whether every new container of the type gets an embed link with it. */
  @Column('boolean', { default: false })
  autoGenerate: boolean;

  /** Whether it also delivers all renditions of its type that are for viewers, and photos in other sizes (contract section 14.2). */
  @Column('boolean', { default: false })
  automaticFormats: boolean;

  /** Whether new embed links that name no configuration use it: one of each customer and type. */
  @Column('boolean', { default: false })
  isDefault: boolean;

  /** The version, which every change increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @Index('player_configurations_creator_id_idx')
  @ForeignKey('users', { name: 'player_configurations_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  @Index('player_configurations_last_editor_id_idx')
  @ForeignKey('users', { name: 'player_configurations_last_editor_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  lastEditorId: number;

  /** The member of the support staff who made the last change on behalf of that user; null: the user made it. */
  @Index('player_configurations_last_editor_support_user_id_idx', { where: 'last_editor_support_user_id IS NOT NULL' })
  @ForeignKey('users', { name: 'player_configurations_last_editor_support_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  lastEditorSupportUserId: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;

  /** The formats that it delivers; loaded only by queries that join them. */
  @OneToMany(
    () => PlayerConfigurationFormat,
    ({ playerConfiguration }) => playerConfiguration,
  )
  formats?: PlayerConfigurationFormat[];
}

/** A format that a configuration delivers. */
@Entity('player_configuration_formats')
export class PlayerConfigurationFormat {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'player_configuration_formats_pkey' })
  playerConfigurationId: number;

  @Index('player_configuration_formats_format_id_idx')
  @ForeignKey('formats', { name: 'player_configuration_formats_format_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'player_configuration_formats_pkey' })
  formatId: number;

  /** Its place in the list, from 0. */
  @Column('integer')
  position: number;

  @Column('boolean', { default: false })
  downloadable: boolean;

  /** Never loaded; the other end of `PlayerConfiguration.formats`. */
  @ManyToOne(
    () => PlayerConfiguration,
    ({ formats }) => formats,
    { onDelete: 'CASCADE' },
  )
  @JoinColumn({ name: 'player_configuration_id', foreignKeyConstraintName: 'player_configuration_formats_player_configuration_id_fkey' })
  playerConfiguration?: PlayerConfiguration;
}

/** A format as it appears in a request. */
export type DeliveredFormat = Pick<PlayerConfigurationFormat, 'formatId' | 'downloadable'>;

/** A configuration with its formats in their order. */
export type DeliveredConfiguration = Omit<PlayerConfiguration, 'formats'> & { readonly formats: readonly DeliveredFormat[] };

/** The part of a configuration that an update may change. */
export type ChangeableConfiguration = Pick<
  DeliveredConfiguration,
  | 'name'
  | 'templateId'
  | 'width'
  | 'height'
  | 'configuration'
  | 'securitySettings'
  | 'settings'
  | 'autoGenerate'
  | 'automaticFormats'
  | 'lastEditorId'
  | 'lastEditorSupportUserId'
  | 'formats'
>;

export type NewConfiguration = ChangeableConfiguration & Pick<PlayerConfiguration, 'customerId' | 'type' | 'creatorId'>;
