import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

/**
 * An authorized application: what a user granted to a client on a device, with one row per (user, client, device). It is also the Grant of
 * oidc-provider: every code, refresh token and access token of the user belongs to one, and all of them end when it is deleted.
 *
 * A derived authorization is created by requestCode for a caller with a token or a signature. It ends together with that token, its
 * authorization or the access key, so each has its own row besides the one that the user granted.
 */
@Entity('authorizations')
@Index('authorizations_user_client_device_key', ['userId', 'clientId', 'deviceKey'], { unique: true })
export class Authorization {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'authorizations_pkey' })
  id: number;

  /** oidc-provider's identifier of the grant. */
  @Index('authorizations_grant_id_key', { unique: true })
  @Column('text')
  grantId: string;

  @ForeignKey('users', { name: 'authorizations_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @Index('authorizations_client_id_idx')
  @ForeignKey('clients', 'clientId', { name: 'authorizations_client_id_fkey', onDelete: 'CASCADE' })
  @Column('text')
  clientId: string;

  /** Increases when all its tokens are revoked while the consent remains; a token contains the number under which it was issued. */
  @Column('integer', { default: 0 })
  generation: number;

  /**
   * The device as part of the unique key; empty if none was named. For a derived authorization, an unguessable value, so that the row can exist
   * besides the one that the user granted. `device` is the name that the client sent.
   */
  @Column('text', { name: 'device', default: '' })
  deviceKey: string;

  /** All scopes that the user granted, separated by spaces. */
  @Column('text')
  scope: string;

  /** Audiences that the user granted. */
  @Column('text', { array: true })
  resources: string[];

  /** The device of a derived authorization; null for one that the user granted. */
  @Column('text', { nullable: true })
  ownDevice: string | null;

  /** The authorization whose token requested the code; deleting it deletes this row. */
  @ForeignKey('authorizations', { name: 'authorizations_parent_id_fkey', onDelete: 'CASCADE' })
  @Index('authorizations_parent_id_idx', { where: 'parent_id IS NOT NULL' })
  @Column('integer', { nullable: true })
  parentId: number | null;

  /** The `jti` of the token that requested the code; revoking that token ends this authorization. */
  @Index('authorizations_parent_token_idx', { where: 'parent_token IS NOT NULL' })
  @Column('text', { nullable: true })
  parentToken: string | null;

  /** The access key that signed the request for the code. */
  @ForeignKey('access_keys', 'accessKey', { name: 'authorizations_access_key_fkey', onDelete: 'CASCADE' })
  @Index('authorizations_access_key_idx', { where: 'access_key IS NOT NULL' })
  @Column('text', { nullable: true })
  accessKey: string | null;

  /** When a derived authorization expires; null if it is not derived. */
  @Index('authorizations_ends_at_idx', { where: 'ends_at IS NOT NULL' })
  @Column('timestamptz', { nullable: true })
  endsAt: Date | null;

  @Column('text', { nullable: true })
  ip: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column('text', { nullable: true })
  env: string | null;

  @Column('text', { nullable: true })
  platform: string | null;

  @Column('text', { nullable: true })
  version: string | null;

  /** The legacy `TYPE:ID` value of `resource`; stored, but without effect. */
  @Column('text', { nullable: true })
  legacyResource: string | null;

  /** When a code was last issued. */
  @Column('timestamptz', { nullable: true })
  lastLogin: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;

  /** The device that the client named; null: none. Requests with a token of this authorization must repeat it. */
  get device(): string | null {
    return this.endsAt === null ? this.deviceKey || null : this.ownDevice;
  }
}
