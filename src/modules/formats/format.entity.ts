import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { Converter } from './converters/converters.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.dto.js';
import type { FormatUsage } from './format-settings.js';

/** 0: in use; 1: destroyed, but media items of it still exist. */
export type FormatFlag = 0 | 1;

/** How media is made: a blueprint that the service manages, or a customer's format based on one. */
@Entity('formats')
@Index('formats_customer_id_idx', ['customerId', 'id'])
@Check('formats_owner_check', '(customer_id IS NULL) = (blueprint_key IS NOT NULL)')
@Check('formats_blueprint_check', '(customer_id IS NULL) = (blueprint_id IS NULL)')
@Check('formats_converter_check', `converter IN ('ffmpeg', 'ffprobe', 'imagemagick', 'officeDocument', 'cli', 'original', 'copy')`)
@Check('formats_usage_check', `usage IN ('transcoding', 'preview')`)
@Check('formats_flag_check', 'flag IN (0, 1)')
export class Format {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'formats_pkey' })
  id: number;

  /** Null: a blueprint, which all customers see. */
  @ForeignKey('customers', { name: 'formats_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  customerId: number | null;

  /** The name by which the service knows a blueprint, the same in every installation; null: a customer's format. */
  @Index('formats_blueprint_key_key', { unique: true })
  @Column('text', { nullable: true })
  blueprintKey: string | null;

  /** What a customer's format is based on; never changes. */
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

  /** Deprecated; as it was sent. */
  @Column('jsonb', { nullable: true })
  configuration: FormatConfiguration | null;

  /** The job that destroys it for good; from then on it is as good as gone. */
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

  /** The member of support staff who made the last change in that user's name; null: the user itself. */
  @Index('formats_last_editor_support_user_id_idx', { where: 'last_editor_support_user_id IS NOT NULL' })
  @ForeignKey('users', { name: 'formats_last_editor_support_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  lastEditorSupportUserId: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
