import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An assertion that was used for a sign-in; kept until it expires, so that it is not accepted again. */
@Entity('saml_assertions')
export class UsedAssertion {
  @ForeignKey('identity_providers', { name: 'saml_assertions_identity_provider_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'saml_assertions_pkey' })
  identityProviderId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_assertions_pkey' })
  assertionId: string;

  @Index('saml_assertions_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
