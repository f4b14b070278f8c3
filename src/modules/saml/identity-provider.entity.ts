import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** The names of the attributes in which an identity provider sends a person's data. */
export interface AttributeMapping {
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** A SAML identity provider that signs in the users of one customer. */
@Entity('identity_providers')
export class IdentityProvider {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'identity_providers_pkey' })
  id: number;

  /** Part of our URLs, and the value of `ssoIdentifier` of /v4/authorize. */
  @Index('identity_providers_sso_identifier_key', { unique: true })
  @Column('text')
  ssoIdentifier: string;

  @Index('identity_providers_customer_id_idx')
  @ForeignKey('customers', { name: 'identity_providers_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  /** Its entity id. */
  @Column('text')
  issuer: string;

  /** Where AuthnRequests go (HTTP-Redirect binding). */
  @Column('text')
  ssoUrl: string;

  /** PEM; a response may be signed with any of them, so that a new certificate can be added before the old one is replaced. */
  @Column('text', { array: true })
  certificates: string[];

  @Column('jsonb', { default: {} })
  attributeMapping: AttributeMapping;

  /** Whether a user is created for a person without one. */
  @Column('boolean', { default: false })
  createUsers: boolean;

  /** Whether the first login of a person is linked to the customer's user with the same e-mail address. */
  @Column('boolean', { default: true })
  linkByEmail: boolean;

  /** Whether the response must be signed in addition to the assertion; many identity providers sign only the assertion. */
  @Column('boolean', { default: true })
  signedResponse: boolean;

  /**
   * The highest adminLevel of users that it may sign in: that of the administrator who configured it, because it could assert any identity. Null: the
   * operator declared it, and there is no limit.
   */
  @Column('integer', { nullable: true })
  maxAdminLevel: number | null;

  /** The version, which every change increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}

/** Whether an identity provider may sign in a user with this level. */
export const acceptsLevel = (
  { maxAdminLevel }: Pick<IdentityProvider, 'maxAdminLevel'>,
  { adminLevel }: { readonly adminLevel: number },
): boolean => maxAdminLevel === null || adminLevel <= maxAdminLevel;
