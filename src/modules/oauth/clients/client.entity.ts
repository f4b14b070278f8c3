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
import { OnErasure } from '../../../shared/removal/index.js';

export type ClientType = 'web' | 'mobile' | 'desktop';

/** An OAuth client application (RFC 6749 section 2). */
@Entity('clients')
@Check('clients_type_check', `type IN ('web', 'mobile', 'desktop')`)
export class Client {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'clients_pkey' })
  id: number;

  @Index('clients_client_id_key', { unique: true })
  @Column('text')
  clientId: string;

  /** The customer whose administrators manage the client; null: the operator declared it. */
  @Index('clients_customer_id_idx')
  @ForeignKey('customers', { name: 'clients_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { nullable: true })
  customerId: number | null;

  @Column('text')
  name: string;

  @Column('text')
  type: ClientType;

  /** Compared character by character (RFC 9700 section 4.1.3), for every type. */
  @OnErasure('never')
  @Column('text', { array: true })
  redirectUris: string[];

  /** URIs to which the browser may return after a sign-out that the client requested; compared like redirect URIs. */
  @OnErasure('never')
  @Column('text', { array: true, default: '{}' })
  postLogoutRedirectUris: string[];

  @Column('text', { array: true })
  grantTypes: string[];

  /** SHA-256 of the random secret; null: a public client. */
  @Column('text', { nullable: true })
  secretHash: string | null;

  /** SHA-256 of the secret before the last rotation, which is valid until `previousSecretEndsAt`. */
  @Column('text', { nullable: true })
  previousSecretHash: string | null;

  @Column('timestamptz', { nullable: true })
  previousSecretEndsAt: Date | null;

  /** Belongs to the operator: users are not asked for consent. */
  @Column('boolean', { default: false })
  firstParty: boolean;

  @Column('boolean', { default: false })
  requirePkce: boolean;

  /** Whether it may request consent inside a frame, which is open to clickjacking; only the operator may permit this. */
  @Column('boolean', { default: false })
  framedConsent: boolean;

  /** The user on whose behalf the client acts with client credentials. */
  @ForeignKey('users', { name: 'clients_service_user_id_fkey', onDelete: 'RESTRICT' })
  @Index('clients_service_user_id_idx')
  @Column('integer', { nullable: true })
  serviceUserId: number | null;

  /** The version, which every change increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
