import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Who a NameID of an identity provider is here. The e-mail address plays no part after the first login. */
@Entity('saml_identities')
export class SamlIdentity {
  @ForeignKey('identity_providers', { name: 'saml_identities_identity_provider_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'saml_identities_pkey' })
  identityProviderId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_identities_pkey' })
  nameId: string;

  /** Empty: the identity provider named none. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_identities_pkey' })
  nameIdFormat: string;

  @Index('saml_identities_user_id_idx')
  @ForeignKey('users', { name: 'saml_identities_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
