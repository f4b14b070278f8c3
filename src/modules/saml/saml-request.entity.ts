import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A login that started here: an AuthnRequest, its response, and the one-time handle with which the browser continues. */
@Entity('saml_requests')
export class SamlRequest {
  /** The ID of the AuthnRequest, which the response names as InResponseTo. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_requests_pkey' })
  id: string;

  @Index('saml_requests_identity_provider_id_idx')
  @ForeignKey('identity_providers', { name: 'saml_requests_identity_provider_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  identityProviderId: number;

  /** The path of this service at which the browser continues. */
  @Column('text')
  returnTo: string;

  /** SHA-256 of the cookie of the browser that started the login. */
  @Column('text')
  browserHash: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Index('saml_requests_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;

  /** When a valid response was accepted; no further response is accepted. */
  @Column('timestamptz', { nullable: true })
  consumedAt: Date | null;

  @Index('saml_requests_user_id_idx')
  @ForeignKey('users', { name: 'saml_requests_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { nullable: true })
  userId: number | null;

  /** The NameID that is linked to the user once the person has confirmed it; null: it is linked already. */
  @Column('text', { nullable: true })
  linkNameId: string | null;

  /** Its format, as `SamlIdentity.nameIdFormat`. */
  @Column('text', { nullable: true })
  linkNameIdFormat: string | null;

  /** SHA-256 of the handle. */
  @Index('saml_requests_handle_hash_key', { unique: true })
  @Column('text', { nullable: true })
  handleHash: string | null;

  @Column('timestamptz', { nullable: true })
  handleExpiresAt: Date | null;

  /** When the browser redeemed the handle, which it can do only once. */
  @Column('timestamptz', { nullable: true })
  redeemedAt: Date | null;
}
