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
import type { MediaType } from '../media/index.js';
import { CONVERTERS, type Converter } from './converters/converters.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.dto.js';
import { FORMAT_USAGES, type FormatUsage } from './format-settings.js';

/** 0: in use; 1: destroyed, but its media items still exist. */
const FORMAT_FLAGS = [0, 1] as const;
export type FormatFlag = (typeof FORMAT_FLAGS)[number];
export const FORMAT_DESTROYED = 1 as const;

/** The definition of renditions: a blueprint of the service, or a customer's format based on one. */
@Entity('formats')
@Index('formats_customer_id_idx', ['customerId', 'id'])
@Check('formats_owner_check', '(customer_id IS NULL) = (blueprint_key IS NOT NULL)')
@Check('formats_blueprint_check', '(customer_id IS NULL) = (blueprint_id IS NULL)')
@Check('formats_converter_check', isOneOf('converter', CONVERTERS))
@Check('formats_usage_check', isOneOf('usage', FORMAT_USAGES))
@Check('formats_flag_check', isOneOf('flag', FORMAT_FLAGS))
export class Format {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'formats_pkey' })
  id: number;

  /** Null: a blueprint, which all customers see. */
  @ForeignKey('customers', { name: 'formats_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  customerId: number | null;

  /** The key of a blueprint, the same in every installation; null: a customer's format. */
  @Index('formats_blueprint_key_key', { unique: true })
  @Column('text', { nullable: true })
  blueprintKey: string | null;

  /** The blueprint of a customer's format; never changes. */
  @Index('formats_blueprint_id_idx')
  @ForeignKey('formats', { name: 'formats_blueprint_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  blueprintId: number | null;

  @Column('text')
  name: string;

  @Column('text')
  converter: Converter;

  @Column('text', { default: 'transcoding' })
  usage: FormatUsage;

  @Column('integer', { default: 0 })
  flag: FormatFlag;

  @Column('jsonb', { default: '{}' })
  settings: FormatSettings;

  /** The deprecated `configuration`, as it was sent. */
  @Column('jsonb', { nullable: true })
  configuration: FormatConfiguration | null;

  /** The job that destroys the format and its media; while it runs, the format is hidden. Null: it is not being destroyed. */
  @Column('uuid', { nullable: true })
  destroyJobId: string | null;

  /** Null: the service. */
  @Index('formats_creator_id_idx')
  @ForeignKey('users', { name: 'formats_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  creatorId: number | null;

  @Index('formats_last_editor_id_idx')
  @ForeignKey('users', { name: 'formats_last_editor_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  lastEditorId: number | null;

  /** The member of support staff who made the last change on behalf of that user; null: the user did. */
  @Index('formats_last_editor_support_user_id_idx', { where: 'last_editor_support_user_id IS NOT NULL' })
  @ForeignKey('users', { name: 'formats_last_editor_support_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  lastEditorSupportUserId: number | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}

/** The media types from which a format is made. */
export const mediaTypesOf = ({ settings, configuration }: Pick<Format, 'settings' | 'configuration'>): readonly MediaType[] =>
  settings.mediaTypes ?? configuration?.mediaTypes ?? [];

/** Whether players and pages use the format unless another one is requested. */
export const isUsedInPlayer = ({ settings, configuration }: Pick<Format, 'settings' | 'configuration'>): boolean =>
  (settings.useInPlayer ?? configuration?.useInPlayer) !== false;

/** Whether viewers may get files of the format; a format in test mode is only for trying out settings. */
export const isForDelivery = ({ settings }: Pick<Format, 'settings'>): boolean => !settings.testMode;
