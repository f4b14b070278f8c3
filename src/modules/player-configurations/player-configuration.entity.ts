import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { MediaType } from '../formats/index.js';
import type { PlayerSettings, SecuritySettings } from './settings/security-settings.js';

/** How media is delivered through embed links: its formats are rows of `player_configuration_formats`. */
@Entity('player_configurations')
@Index('player_configurations_customer_id_idx', ['customerId', 'id'])
@Index('player_configurations_auto_generate_idx', ['customerId', 'type'], { where: 'auto_generate' })
@Check('player_configurations_type_check', `type IN ('video', 'audio', 'image', 'document')`)
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

  /** Deprecated. */
  @Column('jsonb', { nullable: true })
  configuration: { readonly mediaTypes?: readonly MediaType[] } | null;

  @Column('jsonb', { nullable: true })
  securitySettings: SecuritySettings | null;

  @Column('jsonb', { nullable: true })
  settings: PlayerSettings | null;

  /** Every new container of the type gets an embed link with it. */
  @Column('boolean', { default: false })
  autoGenerate: boolean;

  /** Grows with every change; the ETag is made from it. */
  @Column('integer', { default: 1 })
  version: number;

  @Index('player_configurations_creator_id_idx')
  @ForeignKey('users', { name: 'player_configurations_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  @Index('player_configurations_last_editor_id_idx')
  @ForeignKey('users', { name: 'player_configurations_last_editor_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  lastEditorId: number;

  /** The member of support staff who made the last change in that user's name; null: the user itself. */
  @Index('player_configurations_last_editor_support_user_id_idx', { where: 'last_editor_support_user_id IS NOT NULL' })
  @ForeignKey('users', { name: 'player_configurations_last_editor_support_user_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  lastEditorSupportUserId: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
